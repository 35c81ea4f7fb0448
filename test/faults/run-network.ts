/** One setting of a network's nodes: its service, its fault, every request, and its recovery. */
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import { HEAD_NUMBER } from '../support/scene.ts';
import { type AnsweredQuestion, type Expected, rephrase } from '../support/scene-questions.ts';
import { type RunningService, startService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Caller, type Cell, findQuestion, hideSecret } from './caller.ts';
import { type NetworkSetting, nameSetting } from './networks.ts';
import type { Stage } from './stage.ts';

const CHAIN_ID = 31_337;
/** Maximum head age in settings that must refuse the head. */
const HEAD_AGE = '1s';
/** No setting tests slow nodes, so limits are far above the needs of a busy machine. The service's own is 60 s. */
const HANG_MS = 90_000;
/** Longest waits, milliseconds. A node that was on another chain, or was down, is checked every 5 s. */
const CHANGE_MS = 90_000;
const PAUSE_MS = 100;
const WAVES = 2;
const GENESIS_HEAD: Expected = { result: '0x0' };

export async function runNetwork(stage: Stage, setting: NetworkSetting): Promise<readonly Cell[]> {
  const run = new NetworkRun(stage, setting);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class NetworkRun {
  readonly #stage: Stage;
  readonly #setting: NetworkSetting;
  readonly #folder = makeTemporaryFolder();
  readonly #caller: Caller;
  readonly #nodes: FaultUpstream[] = [];
  #service: RunningService | undefined;

  constructor(stage: Stage, setting: NetworkSetting) {
    this.#stage = stage;
    this.#setting = setting;
    this.#caller = new Caller(nameSetting(setting), HANG_MS);
  }

  async run(): Promise<Cell[]> {
    const { row, size } = this.#setting;
    const { faulty, good } = this.#stage;
    const real = [faulty, ...good];
    for (let i = 0; i < size; i++) {
      this.#nodes.push(await FaultUpstream.start((real[i % real.length] ?? faulty).httpUrl));
    }
    const cells: Cell[] = [];
    if (row.time === 'before the start') await this.#breakNodes();
    await this.#startService();
    if (row.time === 'later') {
      cells.push(await this.#awaitHead('start'));
      await this.#awaitMarks();
      await this.#breakNodes();
      if (row.outcome.kind === 'truth') await this.#awaitNotice();
    }
    cells.push(...(await this.#checkOutcome()));
    for (const node of this.#nodes) await node.setFault();
    cells.push(await this.#awaitHead('recovery'));
    cells.push(...(await this.#askEverything('recovery', false)));
    return cells;
  }

  async close(): Promise<void> {
    await this.#service?.close();
    for (const node of this.#nodes) await node.close();
    this.#folder.remove();
  }

  async #breakNodes(): Promise<void> {
    const { row, size } = this.#setting;
    for (const [position, node] of this.#nodes.slice(0, row.countFaulty(size)).entries()) {
      await node.setFault(row.create(this.#stage, position));
    }
  }

  /** Waits for the safe and finalized blocks, which are reported some time after the head. */
  async #awaitMarks(): Promise<void> {
    const request = findQuestion(this.#stage.requests, 'eth_getBlockReceipts finalized');
    await waitUntil(
      async () => (await this.#caller.check(request, [request.expected])).verdict === 'right',
      CHANGE_MS,
    );
  }

  /** Waits until the service has seen the faulty heads of most nodes; requests before that may get older answers. */
  async #awaitNotice(): Promise<void> {
    const { row, size } = this.#setting;
    const isNoticed = async (): Promise<boolean> => {
      const status = await this.#service?.service.readStatus();
      const faulty = status?.networks[0]?.upstreams.slice(0, row.countFaulty(size)) ?? [];
      return faulty.every(
        ({ state, reason, head }) => state !== 'up' || reason !== undefined || head !== HEAD_NUMBER,
      );
    };
    await waitUntil(isNoticed, CHANGE_MS);
  }

  async #startService(): Promise<void> {
    const { row, size } = this.#setting;
    const upstreams = this.#nodes.map(({ httpUrl }, i) => ({
      url: hideSecret(httpUrl),
      tier: i < row.countFaulty(size) ? (row.tier ?? 1) : 1,
    }));
    const pool = {
      chainId: CHAIN_ID,
      ...(row.outcome.kind === 'refusal' && { headAge: HEAD_AGE }),
      blockTime: '200ms',
      pollInterval: '100ms',
      answerTimeout: '30s',
    };
    this.#service = await startService({
      dataDir: this.#folder.path,
      defaultNetwork: 'nodes',
      limits: { requestTimeout: '60s' },
      networks: {
        nodes: { hosts: ['nodes.localhost'], upstreams, pool: { ...pool, ...row.pool }, callTimeout: '50s' },
      },
    });
    this.#caller.authority = this.#service.authority;
  }

  async #checkOutcome(): Promise<Cell[]> {
    const { outcome } = this.#setting.row;
    switch (outcome.kind) {
      case 'truth': {
        const first = await this.#ask('first', this.#head, [this.#head.expected], false);
        return [first, ...(await this.#askEverything('faulty', false))];
      }
      case 'refusal':
        return [
          await this.#awaitRefusal(outcome.reason),
          await this.#checkReadiness(503),
          ...(await this.#askEverything('faulty', true)),
        ];
      case 'restarted':
        return this.#checkRestarted();
    }
  }

  get #head(): AnsweredQuestion {
    return findQuestion(this.#stage.requests, 'eth_blockNumber head');
  }

  /** Checks that every answer is true or, where allowed, a refusal. */
  async #askEverything(when: string, mayRefuse: boolean): Promise<Cell[]> {
    const cells: Cell[] = [];
    for (let wave = 0; wave < WAVES; wave++) {
      const requested = this.#stage.requests.map((request) =>
        this.#ask(when, rephrase(request, wave), [request.expected], mayRefuse),
      );
      cells.push(...(await Promise.all(requested)));
    }
    cells.push(await this.#checkReadiness(mayRefuse ? 503 : 200));
    return cells;
  }

  async #ask(
    when: string,
    request: AnsweredQuestion,
    expected: readonly Expected[],
    mayRefuse: boolean,
  ): Promise<Cell> {
    const { verdict, text } = await this.#caller.check(request, expected);
    const isCorrect = verdict === 'right' || (mayRefuse && verdict === 'refused');
    return this.#caller.cell(`${when}: ${request.label}`, isCorrect, verdict, text, expected);
  }

  /** Requests the head until it is correct; before that it may be refused, but never be another. */
  #awaitHead(when: string): Promise<Cell> {
    const { outcome } = this.#setting.row;
    const before = when === 'recovery' && outcome.kind === 'restarted' ? [GENESIS_HEAD] : [];
    return this.#awaitAnswer(when, this.#head.expected, before);
  }

  async #awaitAnswer(when: string, wanted: Expected, before: readonly Expected[]): Promise<Cell> {
    const until = performance.now() + CHANGE_MS;
    for (;;) {
      const answer = await this.#caller.send(this.#head);
      const text = answer?.text ?? 'nothing';
      const is = (expected: Expected): boolean =>
        'result' in expected && text.includes(`"${expected.result}"`);
      const isWanted = is(wanted);
      const isWrong = !isWanted && !text.includes('"error"') && !before.some(is);
      if (isWanted || isWrong || performance.now() > until) {
        const verdict = isWanted ? 'right' : isWrong ? 'wrong' : 'refused';
        return this.#caller.cell(`${when}: head`, isWanted, verdict, text, [wanted]);
      }
      await sleep(PAUSE_MS);
    }
  }

  /** Requests the head until it is refused with this reason; before that it is correct, or refused with another reason. */
  async #awaitRefusal(reason: RegExp): Promise<Cell> {
    const until = performance.now() + CHANGE_MS;
    const { expected } = this.#head;
    for (;;) {
      const { verdict, text } = await this.#caller.check(this.#head, [expected]);
      const isDone = verdict === 'refused' && reason.test(text);
      const isWrong = verdict !== 'right' && verdict !== 'refused';
      if (isDone || isWrong || performance.now() > until) {
        return this.#caller.cell(`refusal: ${reason.source}`, isDone, verdict, text, [expected]);
      }
      await sleep(PAUSE_MS);
    }
  }

  async #checkReadiness(wanted: number): Promise<Cell> {
    const status = await this.#caller.readReadiness();
    const verdict = status === wanted ? 'right' : 'wrong';
    return this.#caller.cell('readiness', status === wanted, verdict, `${status}`, [{ result: wanted }]);
  }

  /** Checks that the network serves the new chain, with nothing cached of the old one. */
  async #checkRestarted(): Promise<Cell[]> {
    const { requests } = this.#stage;
    const head = await this.#awaitAnswer('replaced', GENESIS_HEAD, [this.#head.expected]);
    const ask = (label: string, expected: Expected): Promise<Cell> =>
      this.#ask('replaced', findQuestion(requests, label), [expected], false);
    return [
      head,
      await ask('eth_getBlockReceipts latest', { result: [] }),
      await ask('eth_getBlockReceipts by hash', { result: null }),
      await ask('eth_getBlockReceipts full', { result: null }),
      await ask('eth_getTransactionCount latest', { result: '0x0' }),
      await ask('eth_call by hash', { error: { code: -32000, message: 'header for hash not found' } }),
      await this.#checkReadiness(200),
    ];
  }
}
