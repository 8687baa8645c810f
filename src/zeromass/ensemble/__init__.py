"""Studies: many members of one program, moved side by side in SIMD lanes and on several cores."""

from zeromass.ensemble.cluster import Ray
from zeromass.ensemble.keep import first_time, integral, largest, mean, smallest, values_at
from zeromass.ensemble.samples import samples
from zeromass.ensemble.sweep import sweep

__all__ = ["Ray", "first_time", "integral", "largest", "mean", "samples", "smallest", "sweep", "values_at"]
