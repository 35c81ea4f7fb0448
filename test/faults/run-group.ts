/** One setting of the matrix: its service, its fault, and every request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import { isCallersCall } from '../support/faults/answers.ts';
import { type AnsweredQuestion, type Expected, rephrase } from '../support/scene-questions.ts';
import { type RunningService, startService } from '../support/service.ts';
import { Caller, type Cell, findQuestion, hideSecret, SECRET } from './caller.ts';
import { type Group, nameGroup } from './matrix.ts';
import type { Stage } from './stage.ts';

export type GroupResult = {
  readonly cells: readonly Cell[];
  /** Calls that reached the faulty upstream while it was faulty. */
  readonly faultyCalls: number;
};

/** Extra delay of every good node's answer, ms: the faulty node is preferred until it fails. */
const GOOD_DELAY_MS = 10;
const WARM_UP_CALLS = 20;
/** Number of rounds of all requests; without good nodes every round may last until the deadline. */
const WAVES = 3;
const WAVES_ALONE = 2;
/** Durations, milliseconds. The service's own limit is 8 s; a request that takes this long hangs, also on a busy machine. */
const HANG_MS = 90_000;
const START_MS = 90_000;
const NOTICE_MS = 1_500;
/** The service checks a node of another chain again every 30 s. */
const RECOVERY_MS = 90_000;
const PAUSE_MS = 100;

/** Starts the group's service, switches the fault on, sends all requests, and closes the service. */
export async function runGroup(stage: Stage, group: Group): Promise<GroupResult> {
  const run = new GroupRun(stage, group);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class GroupRun {
  readonly #stage: Stage;
  readonly #group: Group;
  readonly #folder = makeTemporaryFolder();
  readonly #upstreams: FaultUpstream[] = [];
  readonly #caller: Caller;
  #service: RunningService | undefined;

  constructor(stage: Stage, group: Group) {
    this.#stage = stage;
    this.#group = group;
    this.#caller = new Caller(nameGroup(group), HANG_MS);
  }

  async run(): Promise<GroupResult> {
    const { fault, circumstance } = this.#group;
    const { time, hasGoodNodes, onlyCalls } = circumstance;
    const created = fault.create(this.#stage.others);
    const switchedOn = onlyCalls ? { ...created, concerns: isCallersCall } : created;
    const faulty = await this.#startUpstream(this.#stage.faulty.httpUrl, 0);
    if (time === 'before the start') await faulty.setFault(switchedOn);
    await this.#startService(faulty);
    const cells: Cell[] = [await this.#awaitHead('start')];
    // Nodes' finalized blocks are read after their heads.
    if (hasGoodNodes)
      cells.push(await this.#awaitRight('start', rephrase(this.#request('eth_call finalized'), 98)));
    if (time === 'later') {
      await this.#warmUp();
      await faulty.setFault(switchedOn);
    }
    if (fault.isSilent === true) await sleep(NOTICE_MS);
    const callsBefore = faulty.calls;
    cells.push(...(await this.#askEverything()));
    const faultyCalls = faulty.calls - callsBefore;
    if (!hasGoodNodes) {
      await faulty.setFault();
      cells.push(await this.#awaitHead('recovery'));
      cells.push(await this.#awaitRight('recovery', this.#request('eth_getBlockReceipts a failed one')));
      cells.push(await this.#awaitRight('recovery', rephrase(this.#request('eth_call old block'), 99)));
    }
    cells.push(this.#checkLog());
    return { cells, faultyCalls };
  }

  async close(): Promise<void> {
    await this.#service?.close();
    for (const upstream of this.#upstreams) await upstream.close();
    this.#folder.remove();
  }

  async #startUpstream(nodeUrl: string, delay: number): Promise<FaultUpstream> {
    const upstream = await FaultUpstream.start(nodeUrl, { delay });
    this.#upstreams.push(upstream);
    return upstream;
  }

  async #startService(faulty: FaultUpstream): Promise<void> {
    const { kind, circumstance } = this.#group;
    const urls = [kind === 'HTTP' ? faulty.httpUrl : faulty.webSocketUrl];
    if (circumstance.hasGoodNodes) {
      const [first, second] = this.#stage.good;
      urls.push((await this.#startUpstream(first.httpUrl, GOOD_DELAY_MS)).httpUrl);
      const other = await this.#startUpstream(second.httpUrl, GOOD_DELAY_MS);
      urls.push(kind === 'HTTP' ? other.httpUrl : other.webSocketUrl);
    }
    this.#service = await startService({
      dataDir: this.#folder.path,
      defaultNetwork: 'nodes',
      limits: { requestTimeout: '8s' },
      networks: {
        nodes: {
          hosts: ['nodes.localhost'],
          upstreams: urls.map(hideSecret),
          pool: { blockTime: '200ms', pollInterval: '100ms', answerTimeout: '2s' },
          callTimeout: '5s',
        },
      },
    });
    this.#caller.authority = this.#service.authority;
  }

  #request(label: string): AnsweredQuestion {
    return findQuestion(this.#stage.requests, label);
  }

  /** Collects answers that give the faulty node the best statistics of all nodes. */
  async #warmUp(): Promise<void> {
    const request = this.#request('eth_call latest');
    for (let count = 0; count < WARM_UP_CALLS; count++)
      await this.#caller.send(rephrase(request, 1_000 + count));
  }

  /** Sends all requests in waves; each has one cell, with the worst verdict of its waves. */
  async #askEverything(): Promise<Cell[]> {
    const { requests } = this.#stage;
    const cells = new Map<AnsweredQuestion, Cell>();
    const waves = this.#group.circumstance.hasGoodNodes ? WAVES : WAVES_ALONE;
    for (let wave = 0; wave < waves; wave++) {
      await Promise.all(
        requests.map(async (request, index) => {
          const cell = await this.#ask(request.label, rephrase(request, wave), this.#listExpected(index));
          if (cells.get(request)?.isCorrect !== false) cells.set(request, cell);
        }),
      );
    }
    return [...cells.values()];
  }

  /** Lists true answers, and those of the fork where the fault alone is a reorg. */
  #listExpected(index: number): readonly Expected[] {
    const { fault, circumstance } = this.#group;
    const expected = [this.#stage.requests[index] as AnsweredQuestion];
    if (fault.isReorg === true && !circumstance.hasGoodNodes) {
      expected.push(this.#stage.onFork[index] as AnsweredQuestion);
    }
    const answers = expected.map((one) => one.expected);
    const asksForHash = expected[0]?.label === 'eth_getBlockReceipts by hash';
    return asksForHash && fault.deniesBlocks === true && !circumstance.hasGoodNodes
      ? [...answers, { result: null }]
      : answers;
  }

  async #ask(label: string, request: AnsweredQuestion, expected: readonly Expected[]): Promise<Cell> {
    const { verdict, text } = await this.#caller.check(request, expected);
    const isCorrect =
      verdict === 'right' || (verdict === 'refused' && !this.#group.circumstance.hasGoodNodes);
    return this.#caller.cell(label, isCorrect, verdict, text, expected);
  }

  #awaitHead(label: string): Promise<Cell> {
    return this.#awaitRight(label, this.#request('eth_blockNumber head'));
  }

  /** Repeats the request until the answer is correct, at most as long as a start or a recovery may take; no answer may be wrong. */
  async #awaitRight(when: string, request: AnsweredQuestion): Promise<Cell> {
    const until = performance.now() + (when === 'start' ? START_MS : RECOVERY_MS);
    const expected = [request.expected];
    for (;;) {
      const { verdict, text } = await this.#caller.check(request, expected);
      const isCorrect = verdict === 'right';
      if (isCorrect || performance.now() > until) {
        return this.#caller.cell(`${when}: ${request.label}`, isCorrect, verdict, text, expected);
      }
      await sleep(PAUSE_MS);
    }
  }

  /** Checks that errors in the log concern upstreams, not the service, and do not contain upstream addresses. */
  #checkLog(): Cell {
    const isOurs = (line: string): boolean =>
      JSON.parse(line).upstream === undefined || line.includes(SECRET);
    const bad = this.#service?.errors.filter(isOurs) ?? [];
    const isCorrect = bad.length === 0;
    return this.#caller.cell('log', isCorrect, isCorrect ? 'right' : 'wrong', bad.join('\n'), []);
  }
}
