"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.pages.genome_chart import WIDTH as WIDTH
from deniable.gwas.pages.genome_chart import Column as Column
from deniable.gwas.pages.genome_chart import GenomeAxis as GenomeAxis
from deniable.gwas.pages.genome_chart import ManhattanPicture as ManhattanPicture
from deniable.gwas.pages.genome_chart import Point as Point
from deniable.gwas.pages.genome_chart import Tick as Tick
from deniable.gwas.pages.genome_chart import extents as extents
from deniable.gwas.pages.genome_chart import genome_layers as genome_layers
from deniable.gwas.pages.genome_chart import quantile_layers as quantile_layers
from deniable.gwas.pages.study import MOST_ROWS as MOST_ROWS
from deniable.gwas.pages.study import Reach as Reach
from deniable.gwas.pages.study import reach_paragraph as reach_paragraph
from deniable.gwas.pages.study import study_document as study_document
from deniable.gwas.pages.study import study_picture as study_picture
from deniable.gwas.pages.study import variant_rows as variant_rows
