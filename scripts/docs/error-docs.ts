import { describeMessage, ERRORS, type ErrorName } from '../../src/rpc/errors.ts';

const HEAD = `# Errors

<!-- Written by scripts/write-docs.ts from src/rpc/errors.ts; do not edit. -->

Every failure is a JSON-RPC error object \`{"jsonrpc":"2.0","id":...,"error":{"code":...,"message":...}}\`, even if
the HTTP status is not 200. If a call was dispatched, its answer has HTTP status 200, even if the call fails. The status
in the table applies when the error is the whole answer. An error of a batch item concerns only this item. In the messages
of the table, \`…\` stands for text that depends on the call.

| Name | Code | HTTP | Message | When |
|---|---|---|---|---|
`;

/** Renders the page `docs/errors.md`. */
export function renderErrorsPage(): string {
  const rows = (Object.keys(ERRORS) as ErrorName[]).map((name) => {
    const { code, status, meaning } = ERRORS[name];
    return `| ${name} | ${code} | ${status} | \`${describeMessage(name)}\` | ${meaning} |`;
  });
  return `${HEAD}${rows.join('\n')}\n`;
}
