import { loadConfig } from '../config/load-config.ts';
import { type Command, createCommand } from '../service/command.ts';
import { DATA_VARIABLES, FILE_VARIABLES, REQUIRED_CONFIG_OPTION } from '../service/common-help.ts';
import { formatTable } from '../service/format-table.ts';
import { listSpend, type NodeSpend } from '../service/list-spend.ts';
import { formatCsv } from '../util/csv.ts';

/** Output of the command by the value of --format. */
const FORMATS: Readonly<Record<'table' | 'csv' | 'json', (nodes: readonly NodeSpend[]) => string>> = {
  table: formatPeriods,
  csv: formatDays,
  json: (nodes) => `${JSON.stringify({ nodes }, null, 2)}\n`,
};

/** `portcullis spend` */
export const spendCommand: Command = createCommand({
  name: 'spend',
  about: `Prints the credits that calls to nodes with prices cost (upstreams[].credits).

    The credits are those of all processes that share the data folder or the Valkey server of the configuration. A running
    service has recorded its calls up to a second ago. Days are UTC; the last 400 days are stored.`,
  options: {
    config: REQUIRED_CONFIG_OPTION,
    format: {
      value: 'FORMAT',
      choices: ['table', 'csv', 'json'],
      default: 'table',
      about: 'the current period of each node and its budget, one row for each node and day, or both',
    },
  },
  environment: { ...DATA_VARIABLES, ...FILE_VARIABLES },
  examples: [
    'portcullis spend --config portcullis.yaml',
    'portcullis spend --config portcullis.yaml --format csv > spend.csv',
  ],
  exitCodes: { 0: 'the credits are printed', 1: 'the configuration or the recorded credits cannot be read' },
  async run({ config, format }) {
    process.stdout.write(FORMATS[format](await listSpend(await loadConfig(config, process.env))));
    return 0;
  },
});

function formatPeriods(nodes: readonly NodeSpend[]): string {
  if (nodes.length === 0) return 'no node has prices (upstreams[].credits)\n';
  const rows = nodes.map(({ network, upstream, from, until, credits, budget, remaining, account }) => [
    network,
    upstream,
    from,
    until,
    String(credits),
    String(budget ?? ''),
    String(remaining ?? ''),
    account ?? '',
  ]);
  const titles = ['NETWORK', 'UPSTREAM', 'FROM', 'UNTIL', 'CREDITS', 'BUDGET', 'REMAINING', 'ACCOUNT'];
  return formatTable([titles, ...rows]);
}

function formatDays(nodes: readonly NodeSpend[]): string {
  const rows = nodes.flatMap(({ network, upstream, days }) =>
    days.map(({ day, credits }) => [day, network, upstream, credits]),
  );
  return formatCsv([['day', 'network', 'upstream', 'credits'], ...rows]);
}
