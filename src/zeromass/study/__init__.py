"""Parameter studies: what `zm.sweep` keeps of each run, samples of parameters, clusters."""

from zeromass.lazy import attach as _attach

_attach(__name__)
