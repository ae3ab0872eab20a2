# The two commands of the README, and the long one.

PORT ?= 8000
DATA ?= bothways-data
BIN  := target/release/bothways

.PHONY: run test campaign build

# Builds and starts the server on 127.0.0.1 with the models that ship and their sample data.
run: build
	@exec $(BIN) serve --sample --data "$(DATA)" --port "$(PORT)"

build:
	@tests/lib/tools.sh rust node
	@tests/lib/pages.sh
	cargo build --release --locked -p bothways

# Everything that has to hold: format, lints, unit and integration tests, and real SDKs against the binary.
test:
	@tests/all.sh

# The long counts of the same tests: docs/campaign.md says what and how long, and keeps the last results.
campaign:
	@tests/campaign.sh
