/**
 * Writes the generated documents: docs/methods.md, docs/errors.md, docs/metrics.md, docs/admin-api.md, docs/configuration.md,
 * docs/portcullis.schema.json, portcullis.example.yaml and the table in docs/bounds.md from the definitions that the service uses; NOTICE and
 * sbom.cdx.json from the lock file; llms.txt from the other documents.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { API_PATH, API_ROUTES } from '../src/admin/api/api-routes.ts';
import { buildCurlLines } from '../src/cli/curl-lines.ts';
import { METHODS } from '../src/methods/table.ts';
import { renderAdminApiPage } from './docs/admin-api-docs.ts';
import { renderBounds } from './docs/bound-docs.ts';
import { renderBillOfMaterials, renderNotice } from './docs/components.ts';
import { renderConfigPage, renderConfigSchema, renderExampleConfig } from './docs/config-docs.ts';
import { renderErrorsPage } from './docs/error-docs.ts';
import { renderIndex } from './docs/llms.ts';
import { renderMethodsPage } from './docs/method-docs.ts';
import { renderMetricsPage } from './docs/metric-docs.ts';

/** The script runs as build/scripts/write-docs.js. */
const DOCS = new URL('../../docs/', import.meta.url);

writeFileSync(
  new URL('methods.md', DOCS),
  renderMethodsPage(METHODS, buildCurlLines({ host: '127.0.0.1', port: 8545 })),
);
writeFileSync(new URL('errors.md', DOCS), renderErrorsPage());
writeFileSync(new URL('metrics.md', DOCS), renderMetricsPage());
writeFileSync(new URL('configuration.md', DOCS), renderConfigPage());
writeFileSync(new URL('portcullis.schema.json', DOCS), renderConfigSchema());
writeFileSync(new URL('../portcullis.example.yaml', DOCS), renderExampleConfig());
writeFileSync(new URL('admin-api.md', DOCS), renderAdminApiPage(API_ROUTES, API_PATH));

const bounds = new URL('bounds.md', DOCS);
writeFileSync(bounds, renderBounds(readFileSync(bounds, 'utf8')));

writeFileSync(new URL('../NOTICE', DOCS), renderNotice());
writeFileSync(new URL('../sbom.cdx.json', DOCS), renderBillOfMaterials());
writeFileSync(new URL('../llms.txt', DOCS), renderIndex());
