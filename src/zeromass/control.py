"""Controllers, filters and feedback."""

from zeromass.analysis.regulator import Regulator as Regulator
from zeromass.analysis.sampling import sampled as sampled
from zeromass.analysis.servo import servo as servo
from zeromass.mechanism.blocks import PID as PID
from zeromass.mechanism.blocks import LowPass as LowPass
from zeromass.mechanism.blocks import Signal as Signal
from zeromass.mechanism.blocks import saturated as saturated
from zeromass.model.feedback import with_feedback as with_feedback
