import {
  readUsageQuery,
  type UsageDimension,
  type UsageQuery,
  usageQuerySchema,
} from '../admin/api/usage-query.ts';
import { formatUsageCsv, listUsageColumns, type UsageView } from '../admin/api/usage-view.ts';
import { loadConfig } from '../config/load-config.ts';
import { type Command, createCommand } from '../service/command.ts';
import { DATA_VARIABLES, FILE_VARIABLES, REQUIRED_CONFIG_OPTION } from '../service/common-help.ts';
import { formatTable } from '../service/format-table.ts';
import { listUsage } from '../service/list-usage.ts';
import { UsageError } from '../service/usage.ts';
import { describeIssues } from '../util/describe-issue.ts';

/** Output of the command by the value of --format. */
const FORMATS: Readonly<
  Record<'table' | 'csv' | 'json', (view: UsageView, by: readonly UsageDimension[]) => string>
> = {
  table: formatRows,
  csv: formatUsageCsv,
  json: (view) => `${JSON.stringify(view, null, 2)}\n`,
};

/** `portcullis usage` */
export const usageCommand: Command = createCommand({
  name: 'usage',
  about: `Prints calls, refused calls and credits of clients by day, key, network and method.

    The counts are those of all processes that share the data folder or the Valkey server of the configuration. A running
    service has recorded its calls up to a second ago. Days are UTC; the last 400 days are stored.`,
  options: {
    config: REQUIRED_CONFIG_OPTION,
    from: { value: 'DAY', about: 'first day, such as 2026-12-01; by default 30 days up to --to' },
    to: { value: 'DAY', about: 'last day; by default today' },
    key: { value: 'ID', about: 'only the key with this id (`portcullis keys list`)' },
    network: { value: 'NAME', about: 'only this network' },
    method: { value: 'NAME', about: 'only this method' },
    by: {
      value: 'LIST',
      default: 'day,key,network,method',
      about: 'dimensions of the rows, separated by commas; counts are summed over the others',
    },
    format: {
      value: 'FORMAT',
      choices: ['table', 'csv', 'json'],
      default: 'table',
      about: 'a table, CSV, or the JSON of the Admin API',
    },
  },
  environment: { ...DATA_VARIABLES, ...FILE_VARIABLES },
  examples: [
    'portcullis usage --config portcullis.yaml --by key,network',
    'portcullis usage --config portcullis.yaml --from 2026-11-01 --to 2026-11-30 --format csv > usage.csv',
  ],
  exitCodes: { 0: 'the usage is printed', 1: 'the configuration or the recorded usage cannot be read' },
  async run({ config, format, ...texts }) {
    const query = readQuery(texts);
    const view = await listUsage(await loadConfig(config, process.env), query);
    process.stdout.write(FORMATS[format](view, query.by));
    return 0;
  },
});

/** @throws UsageError */
function readQuery(texts: Readonly<Record<string, string | undefined>>): UsageQuery {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
  const { data, error } = usageQuerySchema.safeParse(given);
  if (error !== undefined) throw new UsageError(`--${describeIssues(error.issues)}`);
  try {
    return readUsageQuery(data, Date.now());
  } catch (problem) {
    throw new UsageError((problem as Error).message);
  }
}

function formatRows(view: UsageView, by: readonly UsageDimension[]): string {
  const columns = listUsageColumns(by);
  if (view.rows.length === 0) return `no calls from ${view.from} to ${view.to}\n`;
  const titles = columns.map((column) => (column === 'keyName' ? 'NAME' : column.toUpperCase()));
  return formatTable([titles, ...view.rows.map((row) => columns.map((column) => String(row[column] ?? '')))]);
}
