import { Load } from '../operations/load/load.ts';
import type { Lane } from '../operations/load/plan.ts';
import type { Abuse } from './abuse.ts';
import { Attack, type AttackPriority } from './attack/attack.ts';
import { judgeCharge, readUsage } from './measure/charge.ts';
import { describeOutcome, leavesTraces, type Outcome } from './measure/outcome.ts';
import { recover } from './measure/recovery.ts';
import { type Actors, type Round, type RoundPlan, runRounds } from './measure/rounds.ts';
import { planNeighbour } from './stage/neighbour.ts';
import { PlainServer } from './stage/plain-server.ts';
import { Stage, type StageOptions } from './stage/stage.ts';
import { countLogLines, readResidentBytes, readVitals } from './stage/vitals.ts';

const MiB = 1024 * 1024;
/** Restart threshold: above it the service is restarted, so that memory left by one abuse does not count for the next. */
const MAX_LEFT_BYTES = 350 * MiB;
/** Warm-up load after a start, since a new service is slower. */
const WARM_UP = { ms: 1_500 } as const;

export type SessionOptions = StageOptions & {
  readonly priority: AttackPriority;
  /** Request rate of the neighbour; 1 is its full rate. */
  readonly pace: number;
};

/** A service under attack, its neighbour and the attackers, for one abuse after the other. */
export class Session {
  readonly #stage: Stage;
  readonly #load: Load;
  readonly #attack: Attack;
  readonly #plain: PlainServer;
  readonly #pace: number;
  #lanes: readonly Lane[] = [];
  #isTainted = true;
  #alone: Round[] = [];

  private constructor(parts: Pick<Actors, 'stage' | 'load' | 'attack' | 'plain'>, pace: number) {
    this.#stage = parts.stage;
    this.#load = parts.load;
    this.#attack = parts.attack;
    this.#plain = parts.plain;
    this.#pace = pace;
  }

  static async open(options: SessionOptions): Promise<Session> {
    const stage = await Stage.open(options);
    const attack = await Attack.open(options.priority);
    const plain = await PlainServer.open(options.isSecure);
    const session = new Session({ stage, load: await Load.open(), attack, plain }, options.pace);
    await session.#prepare();
    return session;
  }

  async run(abuse: Abuse, plan: RoundPlan): Promise<Outcome> {
    const stage = this.#stage;
    if (this.#isTainted || readResidentBytes(stage.program.pid) > MAX_LEFT_BYTES) {
      await stage.restart();
      await this.#prepare();
    }
    this.#isTainted = true;
    const logEnd = countLogLines(stage.program, 0).end;
    const usage = await readUsage(stage, abuse);
    const vitals = await readVitals(stage.program);
    const [load, attack, plain] = [this.#load, this.#attack, this.#plain];
    const actors = { stage, load, attack, plain, lanes: this.#lanes, alone: this.#alone };
    const rounds = await runRounds(actors, abuse, plan);
    const isRunning = stage.program.isRunning;
    const charge = isRunning
      ? await judgeCharge(stage, abuse, usage, rounds.attacks)
      : { isCharged: false, text: 'the service ended' };
    const { lines } = countLogLines(stage.program, logEnd);
    const outcome = describeOutcome(abuse, rounds, { charge, logLines: lines, isRunning });
    // The requests that check the charge must have ended, too.
    if (isRunning && abuse.charge === 'body') await recover(stage, this.#lanes, vitals);
    this.#isTainted = leavesTraces(outcome);
    return outcome;
  }

  async close(): Promise<void> {
    this.#attack.close();
    this.#load.close();
    this.#plain.close();
    await this.#stage.close();
  }

  /** Learns the expected answers and warms the service up. */
  async #prepare(): Promise<void> {
    this.#lanes = await planNeighbour(this.#stage, this.#pace);
    this.#alone = [];
    await this.#plain.learn(this.#lanes);
    await this.#load.begin(this.#lanes);
    await this.#load.goOn(WARM_UP);
    await this.#load.end();
    this.#isTainted = false;
  }
}
