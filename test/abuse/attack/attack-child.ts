/** Process of the attackers. It closes all connections between two attacks. */
import { setMaxListeners } from 'node:events';
import { findAbuse } from '../kinds/table.ts';
import { compute } from './compute.ts';
import type { FromAttack, ToAttack } from './plan.ts';
import { Seen } from './seen.ts';

const seen = new Seen();
let end = new AbortController();

function tell(message: FromAttack): void {
  process.send?.(message);
}

async function begin(message: Extract<ToAttack, { say: 'begin' }>): Promise<void> {
  end = new AbortController();
  setMaxListeners(0, end.signal);
  seen.cut();
  await findAbuse(message.abuse).begin({ target: message.target, seen, signal: end.signal });
}

process.on('disconnect', () => process.exit());
process.on('message', (message: ToAttack) => {
  if (message.say === 'begin') {
    begin(message).then(
      () => tell('begun'),
      (error: Error) => tell({ failed: String(error.stack) }),
    );
    return;
  }
  if (message.say === 'compute') {
    end = new AbortController();
    compute(message.share, end.signal);
    tell('begun');
    return;
  }
  const report = seen.cut();
  end.abort();
  tell(report);
});
tell('there');
