#!/usr/bin/env bash
# Surprise: R leaves its temporary folder behind, and everyone's data in it, where TMPDIR has a blank.
#
# R makes one folder a session and removes it at the end. Where the path has a blank, as under a
# user's name of two words or a share called "Shared Data", R 4.2 removes nothing and says nothing.
# What tempfile() named stays: data frames that a package wrote for another program, downloads, plots.
#
# Who is hurt: the people in a data set, whose rows lie in /tmp after the analysis has ended.
# What we do: the R package removes its own private folder before each function returns, and a test
# runs it with such a TMPDIR.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v Rscript >/dev/null || { echo "Expected R, got none. Type apt install r-base-core."; exit 2; }
Rscript --vanilla -e 'cat(R.version.string, "\n")'
seen=
for name in plain "with a blank"; do
	mkdir "$folder/$name"
	TMPDIR="$folder/$name" Rscript --vanilla -e 'writeLines("a person,ill", tempfile())'
	left=$(find "$folder/$name" -type f | wc -l)
	echo "TMPDIR \"$name\": files left after the session: $left"
	seen+="$left "
done
[ "$seen" = "0 1 " ] && echo "as before" || { echo "this has changed"; exit 1; }
