import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../../../src/admin/page/format.ts';
import { describeHeadline } from '../../../src/admin/page/page-state.ts';
import { encodeTabIcon, STATE_ICONS } from '../../../src/admin/page/state-icons.ts';
import type { ServiceVerdict } from '../../../src/observe/verdict.ts';

const HEARD_AT = 1_700_000_000_000;
const PROBLEMS = [{ kind: 'outage', network: 'main', reason: 'the only node does not answer' }] as const;
const FAILING: ServiceVerdict = {
  state: 'failing',
  summary: 'Network main cannot answer',
  problems: PROBLEMS,
};

test('the headline is the verdict while the service answers, and makes no claim about the service otherwise', () => {
  const facts = { heardAt: HEARD_AT };
  const rows = [
    [{ feed: 'connecting', verdict: undefined }, 'connecting', 'Connecting to the service…', 0],
    [{ feed: 'live', verdict: FAILING }, 'failing', 'Network main cannot answer', 1],
    [{ feed: 'connecting', verdict: FAILING }, 'failing', 'Network main cannot answer', 1],
    [
      { feed: 'lost', verdict: FAILING },
      'lost',
      `No connection to the service since ${formatTime(HEARD_AT)}`,
      1,
    ],
    [
      { feed: 'lost', verdict: undefined },
      'lost',
      `No connection to the service since ${formatTime(HEARD_AT)}`,
      0,
    ],
  ] as const;
  for (const [given, state, text, count] of rows) {
    const { problems, ...shown } = describeHeadline({ ...facts, ...given });
    assert.deepEqual([shown, problems.length], [{ state, text }, count]);
  }
  const lost = describeHeadline({ ...facts, feed: 'lost', verdict: FAILING });
  assert.ok(!JSON.stringify(lost).includes('main'), 'an outage of earlier is not a fact of now');
});

test('icons and titles of states differ without colours', () => {
  const states = Object.keys(STATE_ICONS) as (keyof typeof STATE_ICONS)[];
  const marks = new Set(states.map((state) => STATE_ICONS[state].mark));
  assert.equal(marks.size, states.length);
  const shapes = states.map((state) =>
    decodeURIComponent(encodeTabIcon(state)).replace(/#[0-9a-f]{3,6}/g, ''),
  );
  assert.equal(new Set(shapes).size, states.length);
  for (const shape of shapes) assert.match(shape, /^data:image\/svg\+xml,<svg [^"]*("[^"]*"[^"]*)*<\/svg>$/);
});
