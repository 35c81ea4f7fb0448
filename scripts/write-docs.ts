/** Writes docs/methods.md, docs/errors.md and docs/metrics.md from the definitions that the service runs on. */
import { writeFileSync } from 'node:fs';
import { buildCurlLines } from '../src/cli/curl-lines.ts';
import { METHODS } from '../src/methods/table.ts';
import { renderMetricsPage } from '../src/observe/metrics/metric-docs.ts';
import { renderErrorsPage } from '../src/rpc/error-docs.ts';
import { renderMethodsPage } from '../src/rpc/method-docs.ts';

/** The script runs as build/scripts/write-docs.js. */
const DOCS = new URL('../../docs/', import.meta.url);

writeFileSync(
  new URL('methods.md', DOCS),
  renderMethodsPage(METHODS, buildCurlLines({ host: '127.0.0.1', port: 8545 })),
);
writeFileSync(new URL('errors.md', DOCS), renderErrorsPage());
writeFileSync(new URL('metrics.md', DOCS), renderMetricsPage());
