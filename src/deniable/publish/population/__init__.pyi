"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.population.stated import Everybody as Everybody
from deniable.publish.population.stated import analysis_of_members as analysis_of_members
from deniable.publish.population.stated import demanded_privacy as demanded_privacy
from deniable.publish.population.stated import derive_statement as derive_statement
from deniable.publish.population.stated import larger as larger
from deniable.publish.population.stated import share_of as share_of
