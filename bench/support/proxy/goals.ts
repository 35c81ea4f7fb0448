import { formatColumns } from '../figures.ts';
import { type Figure, type Measured, medianOf, ratioOf } from './measure.ts';

export const OURS = 'portcullis';
export const OTHER = 'other version';

/** A figure and its upper limit; a value of NaN could not be measured. */
export type Goal = {
  readonly name: string;
  readonly value: number;
  readonly atMost: number;
  readonly unit?: string;
};

/** CPU milliseconds per request. */
const CPU_GOALS: Readonly<Record<string, number>> = {
  'different calls': 0.075,
  'repeated call': 0.03,
  'chain id': 0.02,
  'receipts, 21 kB': 0.045,
  'batch of 20': 0.35,
  'batch of 100': 1.4,
};
const NGINX_GOALS: readonly { readonly row: string; readonly figure: Figure; readonly atMost: number }[] = [
  { row: 'different calls', figure: 'cpu', atMost: 3.5 },
  { row: 'receipts, 0.99 MB', figure: 'cpu', atMost: 1.2 },
  { row: 'different calls', figure: 'p99', atMost: 3 },
];
const WEBSOCKET = ', WebSocket';

/** Returns the goals of the measured rows. */
export function judgeRows(measured: readonly Measured[]): readonly Goal[] {
  const byName = new Map(measured.map(({ row, samples }) => [row.name, samples]));
  const cpu = Object.entries(CPU_GOALS).flatMap(([name, atMost]) => {
    const samples = byName.get(name);
    if (samples === undefined) return [];
    return [{ name: `${name}, CPU`, value: medianOf(samples.get(OURS), 'cpu'), atMost, unit: ' ms' }];
  });
  const nginx = NGINX_GOALS.flatMap(({ row, figure, atMost }) => {
    const samples = byName.get(row);
    if (samples === undefined) return [];
    const value = ratioOf(samples.get(OURS), samples.get('nginx'), figure);
    return [{ name: `${row}, ${figure === 'cpu' ? 'CPU' : figure} to nginx's`, value, atMost }];
  });
  const webSocket = [...byName].flatMap(([name, samples]) => {
    const http = name.endsWith(WEBSOCKET) ? byName.get(name.slice(0, -WEBSOCKET.length)) : undefined;
    if (http === undefined) return [];
    return [
      { name: `${name}, CPU to HTTP's`, value: ratioOf(samples.get(OURS), http.get(OURS), 'cpu'), atMost: 1 },
    ];
  });
  return [...cpu, ...nginx, ...webSocket];
}

/** Prints a line for each goal; the process fails when one is missed. */
export function concludeWithGoals(goals: readonly Goal[]): void {
  const isMet = ({ value, atMost }: Goal): boolean => value <= atMost;
  const lines = goals.map((goal) => {
    const { name, value, atMost, unit = '' } = goal;
    const shown = Number.isNaN(value) ? 'not measured' : `${value.toPrecision(3)}${unit}`;
    return [name, shown, `<= ${atMost}${unit}`, isMet(goal) ? 'met' : 'MISSED'];
  });
  console.log(formatColumns([['goal', 'figure', 'target', ''], ...lines]));
  process.exitCode = goals.every(isMet) ? 0 : 1;
}
