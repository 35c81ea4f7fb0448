/** Workers that do not become ready, as the primary sees them. */
import assert from 'node:assert/strict';
import type { Worker as ClusterWorker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { FromWorker, ToWorker } from '../../../src/service/workers/messages.ts';
import { Worker } from '../../../src/service/workers/worker.ts';
import { WorkerCordons } from '../../../src/service/workers/worker-cordons.ts';

const NAME = { network: 'mainnet', node: 'a' };
const SHORT_MS = 20;
const LONG_MS = 60_000;

/** Process of a worker that cordons any node, and is ready when the test says so. */
class FakeProcess extends EventEmitter {
  readonly asked: string[] = [];
  readonly worker: Worker;
  isKilled = false;
  /** Called when the worker is asked for something. */
  onAsk: () => void = () => {};
  readonly process = {
    kill: () => {
      this.isKilled = true;
      this.emit('exit', undefined, 'SIGKILL');
    },
  };

  constructor() {
    super();
    this.worker = new Worker(this as unknown as ClusterWorker, {
      say: 'serve',
      configSource: { kind: 'text', name: 'test', text: '{}' },
      workers: 2,
      demoNetworks: [],
      isStrict: false,
      cordons: [],
    });
  }

  isDead = (): boolean => this.isKilled;
  isConnected = (): boolean => !this.isKilled;

  send(message: ToWorker): void {
    if (message.say !== 'ask') return;
    this.asked.push(message.what);
    this.onAsk();
    this.say({ say: 'answer', id: message.id, answer: { cordon: { outcome: 'done' } } });
  }

  say(message: FromWorker): void {
    this.emit('message', message);
  }

  serve(): this {
    this.say({ say: 'ready', address: { host: '127.0.0.1', port: 1 } });
    return this;
  }
}

test('the wait for a worker ends when it serves, when it cannot, and at the limit', async () => {
  const stuck = new FakeProcess();
  assert.equal(await stuck.worker.whenReady(SHORT_MS), 'starting');
  const later = stuck.worker.whenReady(LONG_MS);
  stuck.serve();
  assert.equal(await later, 'ready');
  stuck.worker.kill();
  assert.equal(await stuck.worker.whenReady(LONG_MS), 'ended');
  const failed = new FakeProcess();
  failed.say({ say: 'failed', reason: 'the port is in use' });
  assert.equal(await failed.worker.whenReady(LONG_MS), 'ended');
});

test('a cordon fails in time while a worker does not start, and is in force in no worker', async () => {
  const [serving, stuck] = [new FakeProcess().serve(), new FakeProcess()];
  const cordons = new WorkerCordons(new Set([serving.worker, stuck.worker]), SHORT_MS);
  await assert.rejects(cordons.cordon(NAME, true), /a worker did not answer in time/);
  assert.deepEqual(serving.asked, ['cordon', 'uncordon']);
  assert.deepEqual(cordons.names, []);
  stuck.serve();
  assert.deepEqual(await cordons.cordon(NAME, true), { outcome: 'done' });
  assert.deepEqual(cordons.names, [NAME]);
});

test('a worker that begins to start during a cordon, and does not serve in time, is replaced', async () => {
  const serving = new FakeProcess().serve();
  const workers = new Set([serving.worker]);
  const cordons = new WorkerCordons(workers, SHORT_MS);
  const late = new FakeProcess();
  serving.onAsk = () => workers.add(late.worker);
  assert.deepEqual(await cordons.cordon(NAME, false), { outcome: 'done' });
  assert.ok(late.isKilled && !serving.isKilled);
});
