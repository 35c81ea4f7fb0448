import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { Filters } from '../../src/methods/filters/filters.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { MemoryRecordTable } from '../support/memory-record-table.ts';
import { ModelFeed } from '../support/model-feed.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork, createScriptedRollup, ScriptedChain } from './scripted-network.ts';

/**
 * Transcripts: `>> ` is a body, `<< ` the answer, compared as text. The answer starts with its HTTP status unless that
 * is 200. The test runs as build/test/gateway/transcripts.test.js.
 */
const FOLDER = new URL('../../../test/gateway/transcripts/', import.meta.url);

const gateway = composeGateway({
  networks: new NetworkRegistry([]),
  access: openTo(() => undefined),
  clientVersion: 'Portcullis/1.2.3',
  log: createRecordingLog(),
});
const principal = { id: 'test', name: 'test' };
const filters = new Filters({
  network: 'plain',
  records: new MemoryRecordTable(),
  maxOfKey: 0,
  lifeMs: 60_000,
});
const NETWORKS = {
  plain: createScriptedNetwork(new ScriptedChain(), { feed: new ModelFeed(), filters }),
  rollup: createScriptedRollup(new ScriptedChain()),
};

for (const file of readdirSync(FOLDER)) {
  test(file, async () => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    const network = NETWORKS[text.startsWith('// network: rollup') ? 'rollup' : 'plain'];
    const bodies = [...text.matchAll(/^>> ?(.*)\n<< ?(.*)$/gm)];
    assert.ok(
      bodies.length > 0 && bodies.length === text.split('\n>>').length - (text.startsWith('>>') ? 0 : 1),
    );
    for (const [, request = '', answer] of bodies) {
      const scope = new RequestScope(performance.now() + 10_000);
      const { status, body } = await gateway.handle(Buffer.from(request), { network, principal }, scope);
      assert.equal(status === 200 ? body : `${status} ${body}`, answer, request);
    }
  });
}
