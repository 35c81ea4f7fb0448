/** Nodes that tell the truth: none of their answers may be refuted, whatever is requested. */

import { isDeepStrictEqual } from 'node:util';
import { isMembers } from '../../packages/proofs/members.ts';
import { readChainFacts } from '../geth/requests/chain-facts.ts';
import { createGenerator } from '../geth/requests/generators.ts';
import { Random } from '../geth/requests/random.ts';
import type { Sample } from '../packages/proofs/samples.ts';
import { Stage, type Transport } from './lied-network.ts';
import { replaySample } from './recorded-source.ts';
import { askResult, type Truth } from './truth.ts';

const NODES = 3;
const CONCURRENCY = 16;
/** Number of a recorded block's transactions that are requested one by one. */
const TRANSACTIONS = 3;

/** Number of requests, and answers that were wrongly refuted. */
export type TrueFigures = { requested: number; readonly falseAlarms: string[] };

/** Sends generated requests to a network of true nodes, alternating between the transports. */
export async function fuzzTrueNodes(
  truth: Truth,
  requests: number,
  seed: number,
  figures: TrueFigures,
): Promise<void> {
  const facts = await readChainFacts((method, params) => askResult(truth, method, ...params), undefined);
  const generate = createGenerator(facts, () => true);
  const stage = await Stage.open(truth, NODES);
  for (const [i, transport] of (['HTTP', 'WebSocket'] as const).entries()) {
    const network = await stage.openChain(NODES, 0, { transport, verify: 'auto' });
    let next = i;
    const work = async (): Promise<void> => {
      for (let number = next; number < requests; number = next) {
        next += 2;
        await network.ask(generate(new Random(seed, number)));
        figures.requested++;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    noteAlarms(`${truth.name}, ${transport}, seed ${seed}`, network, figures);
    await network.chain.close();
  }
  await stage.close();
}

/** Samples altered on purpose, and headers without members that every node's header has, which the service does not accept as blocks. */
const NOT_OF_NODES: ReadonlySet<string> = new Set(['ethereum-negative', 'kaia']);

/** Whether a sample is the answer of a node, as far as it is complete. */
export function isOfNode({ family, block }: Sample): boolean {
  return (
    !NOT_OF_NODES.has(family) && typeof block['hash'] === 'string' && Array.isArray(block['transactions'])
  );
}

/** Requests everything that a recorded block has. */
export async function askSample(recorded: Sample, transport: Transport, figures: TrueFigures): Promise<void> {
  const sample = leaveOutParts(recorded);
  const truth = replaySample(sample);
  const stage = await Stage.open(truth, 2);
  const network = await stage.openChain(2, 0, { transport, verify: 'auto' });
  const { number, hash, transactions = [] } = sample.block;
  const isNamed = (each: unknown): boolean => isMembers(each) && each['blockHash'] != null;
  const list = (transactions as readonly unknown[]).filter(isMembers).slice(0, TRANSACTIONS);
  const questions: (readonly [method: string, ...params: unknown[]])[] = [
    ['eth_getBlockByNumber', number, true],
    ['eth_getBlockByNumber', number, false],
    ['eth_getBlockByHash', hash, true],
    ['eth_getHeaderByNumber', number],
    ...(sample.receipts === undefined ? [] : [['eth_getBlockReceipts', number] as const]),
    ...list.flatMap(({ hash: each }, index) => [
      ['eth_getTransactionByHash', each] as const,
      ...(isNamed(list[index])
        ? [['eth_getTransactionByBlockNumberAndIndex', number, `0x${index.toString(16)}`] as const]
        : []),
      ...(sample.receipts === undefined ? [] : [['eth_getTransactionReceipt', each] as const]),
    ]),
  ];
  for (const [method, ...params] of questions) {
    const reply = await network.ask({ method, params });
    figures.requested++;
    if ('error' in reply || reply.value === null)
      figures.falseAlarms.push(`${truth.name}: ${method}: ${'error' in reply ? reply.error : 'null'}`);
  }
  noteAlarms(truth.name, network, figures, false);
  await network.chain.close();
  await stage.close();
}

/** Drops receipts where only some were recorded, or some without the logs that their blooms contain. */
function leaveOutParts({ receipts, ...sample }: Sample): Sample {
  const { transactions } = sample.block;
  const isWhole =
    Array.isArray(transactions) &&
    receipts?.length === transactions.length &&
    !receipts.some(
      ({ logs, logsBloom }) => isDeepStrictEqual(logs, []) && /[1-9a-f]/.test(String(logsBloom).slice(2)),
    );
  return { ...sample, receipts: isWhole ? receipts : undefined };
}

/** @param refutes whether no answer may have been refuted; where a chain's rules are unknown, the nodes' agreement decides */
function noteAlarms(
  name: string,
  { chain }: Awaited<ReturnType<Stage['openChain']>>,
  { falseAlarms }: TrueFigures,
  refutes = true,
): void {
  const { upstreams, verification } = chain.describe();
  if (upstreams.some(({ state }) => state !== 'up')) falseAlarms.push(`${name}: a node is quarantined`);
  const refuted = verification?.counts.refuted ?? 0;
  if (refutes && refuted > 0) falseAlarms.push(`${name}: ${refuted} answers are refuted`);
}
