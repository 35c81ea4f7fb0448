import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FlightMap, type Mapped } from '../../../src/upstream/policies/flight-map.ts';

class Entry implements Mapped<Entry> {
  readonly about: string;
  readonly question: string;
  isMapped = false;
  next: Entry | undefined;
  previous: Entry | undefined;

  constructor(about: string, question: string) {
    this.about = about;
    this.question = question;
  }
}

const place = fc.tuple(fc.constantFrom('', 'a', 'b', 'c'), fc.constantFrom('x', 'y'));

test('finds what was added last and is still there, like a map by both names', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.nat(9)), { maxLength: 200 }), (steps) => {
      const map = new FlightMap<Entry>();
      let model: Entry[] = [];
      const gone: Entry[] = [];
      for (const [[about, question], choice] of steps) {
        const entry = choice < 5 ? undefined : (model[choice % (model.length + 1)] ?? gone[0]);
        if (entry === undefined) {
          const added = new Entry(about, question);
          map.add(added);
          model.push(added);
        } else {
          map.delete(entry);
          if (model.includes(entry)) gone.push(entry);
          model = model.filter((one) => one !== entry);
        }
        const wanted = model.filter((one) => one.about === about && one.question === question).at(-1);
        assert.equal(map.get(about, question), wanted);
        assert.equal(map.size, model.length);
      }
      for (const entry of model) map.delete(entry);
      assert.equal(map.size, 0);
      for (const entry of [...model, ...gone]) assert.equal(map.get(entry.about, entry.question), undefined);
    }),
  );
});
