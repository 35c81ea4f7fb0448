/** One of three nodes treats a sent transaction differently: the caller gets the hash if, and only if, a node has accepted it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { DEFAULT_LOG_LIMITS } from '../../../../src/chain/log-range.ts';
import { openUpstreamChain } from '../../../../src/chains/upstream/open-upstream-chain.ts';
import { DEFAULT_SEND } from '../../../../src/chains/upstream/sending/options.ts';
import { poolOptionsSchema, upstreamsSchema } from '../../../../src/pool/options.ts';
import { SENDING_TOOLS } from '../../../../src/service/sending-tools.ts';
import { createRecordingLog } from '../../../gateway/recording-log.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { createMemory } from '../../../pool/support/pool.ts';
import { makeTransaction } from '../../../support/bad-transactions.ts';
import {
  ACCEPTS,
  REJECTS,
  SEND_BEHAVIOURS,
  type SendBehaviour,
  SendingNode,
} from '../../../support/sending-node.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const BYTES = makeTransaction({ chainId: 1n });
const HASH = bytesToHex(keccak256(BYTES));
const NODES = 3;
const SENT_TIMES = 5;
/** Timeout for a node without an intelligible answer; the other nodes answer long before theirs. */
const SILENCE_TIMEOUT = '2s';
const ANSWER_TIMEOUT = '60s';
const PARALLEL = 6;

type Cell = {
  readonly behaviour: SendBehaviour;
  readonly protocol: 'http' | 'ws';
  readonly position: number;
  readonly others: SendBehaviour;
};

async function runCell({ behaviour, protocol, position, others }: Cell): Promise<void> {
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_, i) => SendingNode.start(i === position ? behaviour : others)),
  );
  const chain = await openUpstreamChain({
    network: 'test',
    upstreams: upstreamsSchema.parse(nodes.map((node) => node.urlOver(protocol))),
    pool: poolOptionsSchema.parse({
      chainId: 1,
      retries: 0,
      answerTimeout: ['hang', 'text'].includes(behaviour.answer.kind) ? SILENCE_TIMEOUT : ANSWER_TIMEOUT,
    }),
    logs: DEFAULT_LOG_LIMITS,
    verify: 'off',
    cache: createMemory(),
    log: createRecordingLog(),
    sending: { options: DEFAULT_SEND, tools: SENDING_TOOLS },
  });
  const where = `${behaviour.name}, ${protocol}, position ${position}, others: ${others.name}`;
  const inCell = (error: Error): never => assert.fail(`${where}: ${error.message}`);
  try {
    await waitUntil(() => chain.describe().upstreams.every(({ state }) => state === 'up')).catch(inCell);
    const send = (): Promise<string> =>
      chain.transactions.send(BYTES, createScope()).then(
        (hash) => JSON.parse(hash) as string,
        (error: Error) => error.message,
      );
    const isTaken = behaviour.takes || others.takes;
    const first = await send();
    await waitUntil(() => nodes.every(({ received }) => received.length > 0)).catch(inCell);
    if (!isTaken) {
      assert.match(first, /^insufficient funds for gas \* price \+ value/, where);
      return;
    }
    assert.equal(first, HASH, where);
    // The only node that had it is dead: no node can accept it again.
    if (!others.takes && behaviour.answer.kind === 'result' && behaviour.answer.dies === true) return;
    for (let i = 1; i < SENT_TIMES; i++) assert.equal(await send(), HASH, where);
    const found = await chain.transactions.getTransaction({ hash: HASH }, createScope());
    assert.equal((JSON.parse(found ?? 'null') as { hash?: string } | null)?.hash, HASH, where);
  } finally {
    await chain.close();
    for (const node of nodes) node.close();
  }
}

const CELLS: readonly Cell[] = SEND_BEHAVIOURS.flatMap((behaviour) =>
  (['http', 'ws'] as const).flatMap((protocol) =>
    [0, 1, 2].flatMap((position) =>
      [ACCEPTS, REJECTS].map((others) => ({ behaviour, protocol, position, others })),
    ),
  ),
);

describe('a transaction that is sent to three nodes, one of which', () => {
  for (const behaviour of SEND_BEHAVIOURS) {
    test(behaviour.name, async () => {
      const cells = CELLS.filter((cell) => cell.behaviour === behaviour);
      assert.equal(cells.length, 12);
      for (let from = 0; from < cells.length; from += PARALLEL) {
        await Promise.all(cells.slice(from, from + PARALLEL).map(runCell));
      }
    });
  }
});
