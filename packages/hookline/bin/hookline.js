#!/usr/bin/env node
// Stands outside dist, so that it is there, and executable, before the first build.
import "../dist/cli/main.js";
