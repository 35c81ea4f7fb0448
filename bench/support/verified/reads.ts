import { join } from 'node:path';
import { MAIN } from '../../../scripts/program-files.ts';
import { makeTemporaryFolder } from '../../../test/support/embedded.ts';
import { encodeRequest, post } from '../ask.ts';
import type { Workload } from '../call-workloads.ts';
import type { Figure } from '../figures.ts';
import { OLDER_BLOCKS } from '../proxy/full-chain.ts';
import { Nodes } from '../proxy/nodes.ts';
import { startProgram } from '../proxy/program.ts';
import type { Row, Target } from '../proxy/rows.ts';
import type { Subject } from '../proxy/subject.ts';
import { compareSides, type Side, type Sides } from '../sides.ts';

/** First requested block; the range ends below the newest blocks, so that both sides return the same. */
const FIRST: number = OLDER_BLOCKS + 4;
const BLOCKS = 40;
const LEAST_RATIO = 0.9;
const LEAST_KEPT_RATIO = 0.97;
/** Networks with and without a response cache. */
const [KEPT, FRESH] = ['kept', 'fresh'];

const quantity = (value: number): string => `0x${value.toString(16)}`;
const NUMBERS = Array.from({ length: BLOCKS }, (_, i) => quantity(FIRST + i));
/** Blocks requested in rotation: each is evicted before its next request, so that none was verified before. */
const NEW_NUMBERS = Array.from({ length: OLDER_BLOCKS }, (_, i) => quantity(i));

/** Creates a workload of one request per block. */
function ask(name: string, method: string, blocks: readonly string[], ...rest: readonly unknown[]): Workload {
  return { name, target: undefined, bodies: blocks.map((block) => encodeRequest(method, [block, ...rest])) };
}

async function readHashes(target: Target): Promise<readonly string[]> {
  const answers = NUMBERS.map((number) =>
    post(target, encodeRequest('eth_getBlockByNumber', [number, false])),
  );
  const blocks = (await Promise.all(answers)).map((text) => JSON.parse(text) as { result: { hash: string } });
  return blocks.map(({ result }) => result.hash);
}

function sidesOf(subjects: readonly [Subject, Subject], network: string): Sides {
  const row: Row = { name: network, network, isWebSocket: false, upstreams: 1, connections: 1, body: '' };
  const sideOf = (subject: Subject): Side => ({
    ...(subject.targetOf(row) as Target),
    pid: subject.pid,
    label: subject.name,
  });
  return [sideOf(subjects[0]), sideOf(subjects[1])];
}

/**
 * Measures requests per CPU-second with `verify: auto` against `verify: off`, for blocks of 200 transactions that are not cached, and for cached
 * answers.
 */
export async function measureReads(): Promise<readonly Figure[]> {
  const folder = makeTemporaryFolder();
  const nodes = await Nodes.start(1, true);
  const started: Subject[] = [];
  const start = async (name: string, verify: string): Promise<Subject> => {
    const subject = await startProgram({
      name,
      main: MAIN,
      folder: join(folder.path, verify),
      nodes: nodes.urls,
      settings: { verify },
      further: { [KEPT as string]: {}, [FRESH as string]: { pool: { cache: false } } },
    });
    started.push(subject);
    return subject;
  };
  try {
    const subjects = [await start('verify: off', 'off'), await start('verify: auto', 'auto')] as const;
    const fresh = sidesOf(subjects, FRESH as string);
    const hashes = await readHashes(fresh[0]);
    const figures = await compareSides(
      fresh,
      [
        ask('new blocks, whole', 'eth_getBlockByNumber', NEW_NUMBERS, true),
        ask('whole blocks', 'eth_getBlockByNumber', NUMBERS, true),
        ask('whole blocks by hash', 'eth_getBlockByHash', hashes, true),
        ask('blocks with hashes', 'eth_getBlockByNumber', NUMBERS, false),
        ask('receipts', 'eth_getBlockReceipts', NUMBERS),
      ],
      () => LEAST_RATIO,
    );
    const cached = await compareSides(
      sidesOf(subjects, KEPT as string),
      [
        ask('kept block', 'eth_getBlockByNumber', NUMBERS.slice(0, 1), true),
        ask('kept receipts', 'eth_getBlockReceipts', NUMBERS.slice(0, 1)),
      ],
      () => LEAST_KEPT_RATIO,
    );
    return [...figures, ...cached];
  } finally {
    for (const { stop } of started) await stop();
    nodes.stop();
    folder.remove();
  }
}
