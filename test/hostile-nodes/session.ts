/** Runs the cases of a batch concurrently, each on a separate network, beside a neighbour on another network. */
import { setTimeout as sleep } from 'node:timers/promises';
import { watchProcessors } from '../abuse/measure/processors.ts';
import { type P99, type Round, readP99 } from '../abuse/measure/rounds.ts';
import { watchMemory } from '../abuse/stage/vitals.ts';
import { Load } from '../operations/load/load.ts';
import { countFailures, describeFailures, type LaneReport } from '../operations/load/plan.ts';
import { sendToNode } from '../support/faults/ask-node.ts';
import type { AskNode } from '../support/faults/fault.ts';
import { rememberNode } from '../verified/truth.ts';
import { type CaseOutcome, CaseRun } from './case-run.ts';
import type { HostileCase } from './cases.ts';
import { readLongestPiece } from './measure/main-thread.ts';
import { Nodes } from './nodes/nodes.ts';
import type { CaseReport } from './nodes/plan.ts';
import { setTransactionHashes } from './questions.ts';
import { Stage } from './stage.ts';

/** Warm-up in which the neighbour sends in a closed loop, because newly loaded code is slow. Milliseconds. */
const WARM_UP_MS = 2_500;
/** Duration of the neighbour's measurement alone. Milliseconds. */
const ALONE_MS = 600;
/** Number of recent measurements whose median is the latency alone; each is short. Every second batch has one. */
const ALONE_ROUNDS = 5;
/** Time for opening networks, which is not measured. */
const COMPLETE_MS = 300;
/** Number of batches per program while none fails; then the program ends. */
const BATCHES = 8;
const LOOK_MS = 100;
/** Wait for the neighbour's last answers. */
const QUIET_MS = 3_000;
/** Blocks whose transactions are requested. */
const BLOCKS_WITH_TRANSACTIONS = ['0x45', '0x2', '0x43', '0x44', '0x3a', '0xe'];

export type BatchOutcome = {
  readonly cases: readonly CaseOutcome[];
  readonly p99: P99;
  readonly peakBytes: number;
  /** Longest main-thread piece, milliseconds of its own processor time. */
  readonly longestPiece: number;
  /** Whether SIGTERM ended the program in time. */
  readonly hasEnded: boolean;
  /** Failed requests of the neighbour. */
  readonly failed: number;
  readonly failures: string;
};

type Measured = Omit<BatchOutcome, 'cases' | 'hasEnded'>;

export class Session {
  readonly #nodes: Nodes;
  #load: Load;
  readonly #truth: AskNode;
  readonly #isTimed: boolean;
  readonly #alone: Round[] = [];
  #stage: Stage | undefined;
  /** Batches of the running program. */
  #batches = 0;

  private constructor(nodes: Nodes, load: Load, truth: AskNode, isTimed: boolean) {
    this.#nodes = nodes;
    this.#load = load;
    this.#truth = truth;
    this.#isTimed = isTimed;
  }

  /** @param isTimed whether latencies are measured: then nodes leave the processors to the service. On a busy machine they would get none. */
  static async open(isTimed: boolean): Promise<Session> {
    const nodes = await Nodes.open(isTimed);
    const url = nodes.honest.source;
    const { ask } = rememberNode('honest', url, async () => {});
    // Several clients may send the same transaction in a case, so its answer is not cached here.
    const truth: AskNode = (call) =>
      call.method === 'eth_sendRawTransaction' ? sendToNode(url, call) : ask(call);
    setTransactionHashes(await listTransactions(truth));
    return new Session(nodes, await Load.open(), truth, isTimed);
  }

  /** @param isLast whether the program always ends afterwards */
  async run(rows: readonly HostileCase[], isLast: boolean): Promise<BatchOutcome> {
    await this.#nodes.setLate(false);
    const urls = await this.#nodes.openHostile(rows);
    const stage = await this.#takeStage();
    await stage.addNetworks(rows, urls, this.#nodes);
    const watch = new Watch(stage, this.#nodes);
    const runs = rows.map(
      (row, index) =>
        new CaseRun({
          stage,
          index,
          row,
          truth: this.#truth,
          readReport: async () => (await watch.readReport(index)) as CaseReport,
          isNamed: () => watch.named.has(index),
        }),
    );
    await Promise.all(runs.map((run) => run.prepare()));
    await sleep(COMPLETE_MS);
    await this.#load.cut();
    if (this.#batches % 2 === 0) this.#noteAlone(await this.#measure(stage, () => sleep(ALONE_MS)));
    const measured = await this.#attack(stage, watch, runs);
    const cases = runs.map((run) => run.conclude());
    this.#batches++;
    const mayGoOn = !isLast && this.#batches < BATCHES && cases.every(({ faults }) => faults.length === 0);
    const hasEnded = mayGoOn || (await this.endProgram());
    return { ...measured, cases, hasEnded };
  }

  /** Ends the program, so that the next batch starts a new one. @returns whether it ended in time */
  async endProgram(): Promise<boolean> {
    const stage = this.#stage;
    if (stage === undefined) return true;
    this.#stage = undefined;
    // Requests in flight when the program is stopped are no failure of it.
    const isQuiet = await Promise.race([this.#load.end().then(() => true), sleep(QUIET_MS, false)]);
    // A neighbour that still waits would reconnect.
    if (!isQuiet) this.#load.close();
    const hasEnded = await stage.stop();
    if (!isQuiet) this.#load = await Load.open();
    return hasEnded;
  }

  async close(): Promise<void> {
    await this.#stage?.program.dispose();
    this.#nodes.close();
    this.#load.close();
  }

  async #takeStage(): Promise<Stage> {
    if (this.#stage !== undefined) return this.#stage;
    this.#batches = 0;
    this.#stage = await Stage.open(this.#isTimed);
    const lanes = await this.#stage.planNeighbour();
    await this.#load.begin(lanes.map((lane) => ({ ...lane, perSecond: 'closed loop' as const })));
    await sleep(WARM_UP_MS);
    await this.#load.end();
    await this.#load.begin(lanes);
    return this.#stage;
  }

  async #attack(stage: Stage, watch: Watch, runs: readonly CaseRun[]): Promise<Measured> {
    const since = Date.now();
    const readPeak = watchMemory(stage.program.pid);
    const beside = await this.#measure(stage, async () => {
      await this.#nodes.setLate(true);
      await this.#nodes.arm(runs.map((_, index) => index));
      watch.begin();
      await Promise.all(runs.map((run) => run.run()));
    });
    watch.end();
    return {
      p99: readP99({ alone: this.#alone, beside: [beside], plain: [] }),
      peakBytes: readPeak(),
      longestPiece: readLongestPiece(stage.program.pid, stage.stallFile, since),
      failed: countFailures(beside.reports),
      failures: describeFailures(beside.reports),
    };
  }

  async #measure(stage: Stage, act: () => Promise<unknown>): Promise<Round> {
    const pids = [process.pid, stage.program.pid, this.#load.pid, ...this.#nodes.pids];
    const readForeign = watchProcessors(pids);
    await act();
    const reports: readonly LaneReport[] = await this.#load.cut();
    return { reports, foreign: readForeign() };
  }

  #noteAlone(round: Round): void {
    this.#alone.push(round);
    if (this.#alone.length > ALONE_ROUNDS) this.#alone.shift();
  }
}

/** Polls the nodes' reports and the status, once for all cases of a batch. */
class Watch {
  /** Cases whose node the status has named. */
  readonly named: Set<number> = new Set();
  readonly #stage: Stage;
  readonly #nodes: Nodes;
  #report: Promise<readonly CaseReport[]> | undefined;
  #isOver = false;

  constructor(stage: Stage, nodes: Nodes) {
    this.#stage = stage;
    this.#nodes = nodes;
  }

  begin(): void {
    void this.#look();
  }

  end(): void {
    this.#isOver = true;
  }

  /** Undefined for a node of the previous batch, which the status may still show. */
  async readReport(index: number): Promise<CaseReport | undefined> {
    this.#report ??= this.#nodes.report().finally(() => {
      this.#report = undefined;
    });
    return (await this.#report)[index];
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      for (const [index, { state, reason }] of await this.#stage.readNodes()) {
        const report = await this.readReport(index);
        // The nodes already belong to the next batch.
        if (this.#isOver) return;
        if ((report?.hits ?? 0) > 0 && (state !== 'up' || reason !== undefined)) this.named.add(index);
      }
      await sleep(LOOK_MS);
    }
  }
}

async function listTransactions(truth: AskNode): Promise<readonly string[]> {
  const blocks = await Promise.all(
    BLOCKS_WITH_TRANSACTIONS.map((number) =>
      truth({ method: 'eth_getBlockByNumber', params: [number, false] }),
    ),
  );
  return blocks.flatMap((answer) =>
    'result' in answer ? (answer.result as { readonly transactions: readonly string[] }).transactions : [],
  );
}
