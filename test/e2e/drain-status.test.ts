/** Status page of a program that stops. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVNET } from '../support/ask-program.ts';
import { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

for (const workers of [1, 2]) {
  test(`a program of ${workers} processes reports that it is draining until it has drained`, async (t) => {
    const program = new Program({ networks: DEVNET, workers, limits: { drainDelay: '3s' } });
    t.after(() => program.dispose());
    await program.start();
    assert.equal((await program.readStatus()).verdict.state, 'healthy');
    program.signal('SIGTERM');
    await waitUntil(async () => (await program.readStatus()).verdict.state === 'draining');
    const { verdict, processes } = await program.readStatus();
    assert.equal(verdict.summary, 'The service is draining');
    assert.deepEqual(
      processes.map(({ isDraining }) => isDraining),
      Array.from({ length: workers }, () => true),
    );
    assert.equal(await program.waitForExit(), 0);
    assert.ok(!program.log.some(({ level }) => level >= 50), 'nothing failed during the stop');
  });
}
