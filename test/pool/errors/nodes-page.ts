import type { ErrorCase } from './fixtures.ts';

/** Maximum characters of a node's message in a table. */
const MAX_SHOWN = 90;

/** Renders the tables of docs/nodes.md: one per client, a row for each distinct error. */
export function renderTables(cases: readonly ErrorCase[]): string {
  const clients = [...new Set(cases.map(({ client }) => client))].toSorted((a, b) =>
    a.localeCompare(b, 'en'),
  );
  return clients.map((client) => renderTable(client, cases)).join('\n');
}

function renderTable(client: string, cases: readonly ErrorCase[]): string {
  const own = cases.filter((item) => item.client === client);
  const versions = [...new Set(own.map(({ version }) => version))].join(', ');
  const rows = own.map(
    (item) =>
      `| ${item.version} | ${item.method} | ${item.situation} | ${renderError(item)} | ${renderVerdict(item)} |`,
  );
  return [
    `### ${client} (${versions})`,
    '',
    '| version | method | situation | it says | the caller gets |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function renderError({ error }: ErrorCase): string {
  const hasData = error.data !== undefined && error.data !== null;
  return `${error.code} \`${escapeCell(shorten(error.message))}\`${hasData ? `, data ${renderData(error.data)}` : ''}`;
}

function renderData(data: unknown): string {
  return typeof data === 'string' ? `\`${escapeCell(shorten(data, 40))}\`` : 'object';
}

function renderVerdict({ expect }: ErrorCase): string {
  switch (expect.kind) {
    case 'reverted':
      return expect.data === '0x' ? '3 `execution reverted`, no data' : '3 `execution reverted…`, the data';
    case 'failed':
      return `-32000 \`${escapeCell(shorten(expect.message))}\``;
    case 'invalid':
      return '-32602, the words of the node';
    case 'rateLimited':
      return expect.retryAfterMs === undefined
        ? 'another node; a pause for this one'
        : `another node; a pause of ${expect.retryAfterMs} ms for this one`;
    default:
      return `another node (${expect.kind})`;
  }
}

function shorten(text: string, length = MAX_SHOWN): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

function escapeCell(text: string): string {
  return text.replace(/`/g, "'").replace(/\|/g, '\\|');
}
