import { encodeRequest } from '../ask.ts';
import { USUAL_CONNECTIONS } from '../paced-load.ts';
import { EMBEDDED_NETWORK } from '../proxy/program.ts';
import { planLoad, type Row } from '../proxy/rows.ts';
import type { Subject } from '../proxy/subject.ts';

/** An account without code on every chain of the bench, and no precompile; its last digits differ from request to request. */
const OWNER = `0x${'a7'.repeat(12)}c0ffee0000c0ffee`;
const TOKEN = `0x${'5f'.repeat(20)}`;
const DEVNET_TOKEN = '0xcabe9823112d187ea24d56be8e47ae75ed52a842';
const ALICE = '0xb22db1efc84ea674085fe1364910d5e8196cbc81';
/** Block of the nodes' chain whose receipts have logs. */
const FULL_BLOCK = '0xa';
const BATCH = 10;

/** Encodes an `eth_call` of `balanceOf`. */
function encodeBalanceOf(to: string, owner: string, id = 1): string {
  const data = `0x70a08231${'00'.repeat(12)}${owner.slice(2)}`;
  return encodeRequest('eth_call', [{ to, data }, 'latest'], id);
}

function encodeBatch(to: string): string {
  const items = Array.from({ length: BATCH }, (_, id) => encodeBalanceOf(to, OWNER, id));
  return `[${items.join()}]`;
}

const OF_NODES: Readonly<Record<string, string>> = {
  'different calls': encodeBalanceOf(TOKEN, OWNER),
  'repeated call': encodeBalanceOf(TOKEN, ALICE),
  'block number': encodeRequest('eth_blockNumber', []),
  balance: encodeRequest('eth_getBalance', [OWNER, 'latest']),
  head: encodeRequest('eth_getBlockByNumber', ['latest', false]),
  receipts: encodeRequest('eth_getBlockReceipts', [FULL_BLOCK]),
  'logs of a block': encodeRequest('eth_getLogs', [{ fromBlock: FULL_BLOCK, toBlock: FULL_BLOCK }]),
  'logs of the head': encodeRequest('eth_getLogs', [{ fromBlock: 'latest', toBlock: 'latest' }]),
  batch: encodeBatch(TOKEN),
  'more different calls': encodeBalanceOf(TOKEN, OWNER),
};

const OF_EMBEDDED: Readonly<Record<string, string>> = {
  'different calls': encodeBalanceOf(DEVNET_TOKEN, OWNER),
  balance: encodeRequest('eth_getBalance', [ALICE, 'latest']),
  head: encodeRequest('eth_getBlockByNumber', ['latest', true]),
  receipts: encodeRequest('eth_getBlockReceipts', ['latest']),
  logs: encodeRequest('eth_getLogs', [{ fromBlock: '0x20', toBlock: 'latest', address: DEVNET_TOKEN }]),
  estimate: encodeRequest('eth_estimateGas', [{ from: ALICE, to: OWNER, value: '0x1' }]),
  batch: encodeBatch(DEVNET_TOKEN),
};

const OVER_HTTP = { isWebSocket: false, upstreams: 3, connections: USUAL_CONNECTIONS } as const;

/** Rotates through all kinds of requests, alternating between the network of nodes and the embedded network. */
export function mixRequests(program: Subject): (connection: number) => Uint8Array {
  const toRows = (bodies: typeof OF_NODES, network: string | undefined): readonly Row[] =>
    Object.entries(bodies).map(([name, body]) => ({ ...OVER_HTTP, name, body, ...(network && { network }) }));
  const rows = [toRows(OF_NODES, undefined), toRows(OF_EMBEDDED, EMBEDDED_NETWORK)] as const;
  const sources = rows.map((list) =>
    list.map((row) => {
      const target = program.targetOf(row);
      if (target === undefined) throw new Error(`${row.name}: the program has no such network`);
      return planLoad(row, target, 0).request;
    }),
  );
  let sent = 0;
  return (connection) => {
    const list = sources[sent % sources.length] as (typeof sources)[number];
    const request = list[Math.floor(sent / sources.length) % list.length] as (typeof list)[number];
    sent++;
    return request instanceof Uint8Array ? request : request(connection);
  };
}
