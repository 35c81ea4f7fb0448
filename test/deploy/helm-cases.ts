import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART, type KubernetesObject } from './helm-program.ts';

/** Values that the chart is rendered with. */
type Case = {
  readonly name: string;
  readonly args: readonly string[];
  readonly values: KubernetesObject;
};

/** The default values, and each file in `ci`. */
export const CASES: readonly Case[] = [
  { name: 'its default values', args: [], values: {} },
  ...readdirSync(join(CHART, 'ci')).map((name) => {
    const file = join(CHART, 'ci', name);
    return { name, args: ['--values', file], values: parse(readFileSync(file, 'utf8')) };
  }),
];

/** Selects the objects of one kind. */
export const ofKind = (objects: readonly KubernetesObject[], kind: string): KubernetesObject[] =>
  objects.filter((object) => object.kind === kind);
