"""Tests of what the conformance suite does not cover. `test/conformance-clients/package.test.ts` runs them with a hub and its `policy.toml`."""
