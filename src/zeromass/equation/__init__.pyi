"""The names of `zeromass.equation`: `zeromass.lazy.attach` reads them from here."""

from zeromass.equation.elimination import kkt as kkt
from zeromass.equation.fundamental import acceleration as acceleration
from zeromass.equation.fundamental import auxiliary_system as auxiliary_system
from zeromass.equation.fundamental import udwadia_kalaba as udwadia_kalaba
from zeromass.equation.inverse import IndependentRows as IndependentRows
from zeromass.equation.inverse import independent_rows as independent_rows
from zeromass.equation.inverse import pseudoinverse as pseudoinverse
from zeromass.equation.motion import Motion as Motion
from zeromass.equation.motion import Verdict as Verdict
from zeromass.equation.rank import CONSISTENCY_TOLERANCE as CONSISTENCY_TOLERANCE
from zeromass.equation.rank import MASS_TOLERANCE as MASS_TOLERANCE
from zeromass.equation.rank import RANK_TOLERANCE as RANK_TOLERANCE
from zeromass.equation.rank import Rank as Rank
from zeromass.equation.rank import numerical_rank as numerical_rank
from zeromass.equation.solution import solve as solve
