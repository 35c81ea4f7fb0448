/** The polite neighbour: its requests, with a rate, a key and connections of its own. */
import type { FixedQuestion, Lane } from '../../operations/load/plan.ts';
import { FACTS } from '../../support/development.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { countTo } from '../kinds/programs.ts';
import { requestText } from './ask.ts';
import type { Stage } from './stage.ts';

type Asked = Pick<FixedQuestion, 'method' | 'params'>;
type LanePlan = Pick<Lane, 'name' | 'transport' | 'connections' | 'isFleeting'> & {
  readonly perSecond: number;
  readonly host: string;
  /** Absent for chain ids and calls that return the id of their request. */
  readonly asks?: readonly Asked[];
};

/** Lane whose answers may take long: they have to be correct, but do not count as latencies. */
export const HEAVY_LANE = 'heavy';
/** Call that takes about 40 ms of a thread. */
const HEAVY: Asked = { method: 'eth_call', params: [{ data: countTo(400_000) }, 'latest'] };
const TRANSFER = FACTS.devnet.calls.tokenTransfer;
const BALANCE = FACTS.devnet.calls.tokenBalance;

const LANES: readonly LanePlan[] = [
  { name: 'calls', transport: 'http', host: 'devnet.localhost', connections: 8, perSecond: 50 },
  {
    name: 'reads',
    transport: 'http',
    host: 'devnet.localhost',
    connections: 8,
    perSecond: 40,
    asks: [
      { method: 'eth_blockNumber', params: [] },
      { method: 'eth_getBlockReceipts', params: ['0x1'] },
      { method: 'eth_call', params: [BALANCE, 'latest'] },
      { method: 'eth_getTransactionByBlockNumberAndIndex', params: ['0x1', '0x0'] },
      { method: 'eth_estimateGas', params: [TRANSFER] },
    ],
  },
  {
    name: 'new connections',
    transport: 'http',
    host: 'devnet.localhost',
    connections: 8,
    perSecond: 10,
    isFleeting: true,
  },
  { name: 'WebSocket', transport: 'webSocket', host: 'devnet.localhost', connections: 1, perSecond: 40 },
  {
    name: 'rollup',
    transport: 'http',
    host: 'rollup.localhost',
    connections: 4,
    perSecond: 20,
    asks: [
      { method: 'eth_call', params: [BALANCE, 'latest'] },
      { method: 'linea_estimateGas', params: [TRANSFER] },
    ],
  },
  {
    name: 'nodes',
    transport: 'http',
    host: 'nodes.localhost',
    connections: 8,
    perSecond: 30,
    asks: [
      { method: 'eth_chainId', params: [] },
      { method: 'eth_call', params: [{ to: TRANSFER.to, data: '0x01' }, 'latest'] },
    ],
  },
  {
    name: HEAVY_LANE,
    transport: 'http',
    host: 'devnet.localhost',
    connections: 2,
    perSecond: 2,
    asks: [HEAVY],
  },
];

const LEARN_MS = 120_000;
const START = '{"jsonrpc":"2.0","id":1,"result":';

/**
 * Returns the neighbour's lanes, with the answers that the service gives while idle.
 * @param pace fraction of the full request rate, 1 is all
 * @throws Error when the service does not answer
 */
export async function planNeighbour(stage: Stage, pace: number): Promise<readonly Lane[]> {
  const key = stage.keyOf('neighbour');
  const learn = async (host: string, { method, params }: Asked): Promise<FixedQuestion> => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    let answer = '';
    // A new service may not have identified its node yet; on a busy machine the node gets little processor time.
    await waitUntil(async () => {
      answer = (await requestText(stage, { text, host, key })).text;
      return answer.startsWith(START);
    }, LEARN_MS).catch(() => {});
    if (!answer.startsWith(START)) throw new Error(`${host} ${method}: ${answer.slice(0, 300)}`);
    return { method, params, result: answer.slice(START.length, -1) };
  };
  const lanes: Lane[] = [];
  for (const { asks, ...plan } of LANES) {
    const perSecond = plan.perSecond * pace;
    const lane: Lane = { ...plan, perSecond, port: stage.program.port, key, isSecure: stage.isSecure };
    const requests: FixedQuestion[] = [];
    for (const ask of asks ?? []) requests.push(await learn(plan.host, ask));
    lanes.push(asks === undefined ? lane : { ...lane, requests });
  }
  return lanes;
}
