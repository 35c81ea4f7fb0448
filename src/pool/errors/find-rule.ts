import { CODE_RULES } from './code-rules.ts';
import { FAILURE_CODE_RULES, FAILURE_RULES } from './failure-rules.ts';
import type { Rule } from './rule.ts';
import { TEXT_RULES } from './text-rules.ts';
import { VM_ERROR_RULES } from './vm-error-rules.ts';

/** All rules in the order of matching: codes before messages, missing data before failures. */
export const RULES: readonly Rule[] = [
  ...CODE_RULES,
  ...TEXT_RULES,
  ...VM_ERROR_RULES,
  ...FAILURE_RULES,
  ...FAILURE_CODE_RULES,
];

export type FoundRule = { readonly rule: Rule; readonly match: RegExpExecArray | null };

/** Finds the first rule that matches the error. Rules of kind `failed` apply only if the method executes code. */
export function findRule(code: number, text: string, executes: boolean): FoundRule | undefined {
  for (const rule of RULES) {
    if (rule.codes !== undefined && !rule.codes.includes(code)) continue;
    if (rule.kind === 'failed' && !executes) continue;
    const match = rule.pattern === undefined ? null : rule.pattern.exec(text);
    if (rule.pattern === undefined || match !== null) return { rule, match };
  }
  return undefined;
}
