/** A gateway in front of a chain that answers every call at once with the same 32 bytes, so that only the gateway's own cost remains. */
import { createHash } from 'node:crypto';
import { composeGateway, type Gateway } from '../src/gateway/gateway.ts';
import { NetworkRegistry } from '../src/gateway/network-registry.ts';
import type { Network } from '../src/methods/network.ts';
import type { CallRecorder } from '../src/observe/call-recorder.ts';
import { createLogger } from '../src/observe/logger.ts';
import { RequestScope } from '../src/util/request-scope.ts';
import { openTo } from '../test/support/access.ts';
import { createFakeChain } from '../test/support/fake-chain.ts';

export const HOST = 'bench.localhost';
export const KEY = '0123456789abcdef0123456789abcdef';

export const PRINCIPAL: { readonly id: string; readonly name: string } = { id: 'bench', name: 'bench' };
const RESULT = `"0x${'ab'.repeat(32)}"`;
const TOKEN = `0x${'5f'.repeat(20)}`;
const BATCH_ITEMS = 100;

export type Scenario = { readonly name: string; readonly items: number; readonly body: string };

export const SCENARIOS: readonly Scenario[] = [
  { name: 'eth_chainId', items: 1, body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}' },
  { name: 'eth_call', items: 1, body: encodeCall(1) },
  {
    name: `batch of ${BATCH_ITEMS} eth_call`,
    items: BATCH_ITEMS,
    body: `[${Array.from({ length: BATCH_ITEMS }, (_, i) => encodeCall(i)).join()}]`,
  },
];

/** Encodes a call of `balanceOf` whose owner follows from `id`. */
function encodeCall(id: number): string {
  const owner = createHash('sha256').update(`${id}`).digest('hex').slice(0, 40);
  const params = [{ to: TOKEN, data: `0x70a08231${owner.padStart(64, '0')}` }, 'latest'];
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_call', params });
}

export function createInstantNetwork(): Network {
  const header = { number: 61n, timestamp: 1n, gasLimit: 30_000_000n, extraData: '0x' };
  const chain = createFakeChain({
    chainId: 1n,
    execution: { call: () => RESULT },
    blocks: { getHeader: () => header },
  });
  return { name: 'bench', chain, safeTag: 'reject', callTimeoutMs: 5_000, allowsDemoKey: false };
}

export function createInstantGateway(
  network: Network = createInstantNetwork(),
  observer?: CallRecorder,
): Gateway {
  return composeGateway({
    networks: new NetworkRegistry([{ hosts: [HOST], network }]),
    access: openTo((key) => (key === KEY ? PRINCIPAL : undefined)),
    clientVersion: 'portcullis/bench',
    log: createLogger('info'),
    ...(observer !== undefined && { observer }),
  });
}

/** Returns the microseconds of CPU that `gateway.handle` takes per request with this body, one request at a time. */
export async function timeHandle(body: string, durationMs: number): Promise<number> {
  const network = createInstantNetwork();
  const gateway = createInstantGateway(network);
  const bytes = Buffer.from(body);
  const before = process.cpuUsage();
  let count = 0;
  for (const end = performance.now() + durationMs; performance.now() < end; count++) {
    const scope = new RequestScope(performance.now() + 30_000);
    await gateway.handle(bytes, { network, principal: PRINCIPAL }, scope);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
