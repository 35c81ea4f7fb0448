/**
 * Changes every byte of a bundle of each of the seven methods, in two ways each, as damage and as forgery: `npm run test:bundles`, half an hour on a quiet
 * machine; `-- op_` those with that text in their name. Prints how many were refused, and every stretch of changes that were accepted with what they mean. Exit code 1 where one was accepted that changes a proven answer or means nothing.
 */
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { BUILTIN, createConfig, makeBundle, SEVEN } from './bundles.ts';
import { countBytes, isDamageRefused, judgeForgery, type Outcome } from './flips.ts';

/** The lowest bit makes another digit or letter, the other one upper case of lower case. */
const MASKS = [0x01, 0x20];
/** Characters around an accepted change that are shown. */
const AROUND = 24;

const folder = makeTemporaryFolder();
const config = createConfig(BUILTIN, folder.path);
const [only = ''] = process.argv.slice(2);
let isBad = false;
let changes = 0;
for (const row of SEVEN) {
  const name = `${row.method} of ${row.network}`;
  if (!name.includes(only)) continue;
  const text = await makeBundle(config, row);
  const counts: Record<Outcome, number> = { refused: 0, told: 0, question: 0, meaningless: 0, forged: 0 };
  let damaged = 0;
  /** Stretches of bytes with the same outcome, from the first one to the last. */
  const accepted: { readonly outcome: Outcome; readonly from: number; to: number }[] = [];
  for (let at = 0; at < text.length; at++) {
    for (const mask of MASKS) if (!(await isDamageRefused(text, at, mask))) damaged++;
  }
  for (let at = 0; at < countBytes(text); at++) {
    for (const mask of MASKS) {
      const outcome = await judgeForgery(text, at, mask);
      counts[outcome]++;
      changes++;
      if (outcome === 'refused') continue;
      const last = accepted.at(-1);
      if (last?.outcome === outcome && at - last.to <= 1) last.to = at;
      else accepted.push({ outcome, from: at, to: at });
    }
  }
  isBad ||= damaged > 0 || counts.meaningless > 0 || counts.forged > 0;
  console.log(
    `${name}: ${text.length} bytes; damage: ${damaged} accepted; forgery: ${counts.refused} refused, ` +
      `${counts.told} told, ${counts.question} another question, ${counts.meaningless} without meaning, ${counts.forged} forged`,
  );
  for (const { outcome, from, to } of accepted)
    console.log(`  ${outcome}: ${text.slice(Math.max(0, from - AROUND), from)}[${text.slice(from, to + 1)}]`);
}
console.log(`${changes} forgeries`);
folder.remove();
process.exitCode = isBad ? 1 : 0;
