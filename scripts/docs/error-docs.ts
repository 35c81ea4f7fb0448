import { describeMessage, ERRORS, type ErrorName } from '../../src/rpc/errors.ts';

const HEAD = `# Errors

<!-- Written by scripts/write-docs.ts from src/rpc/errors.ts; do not edit. -->

Every failure is a JSON-RPC error object \`{"jsonrpc":"2.0","id":...,"error":{"code":...,"message":...}}\`, even if
the HTTP status is not 200. Calls that were dispatched are answered with HTTP 200 whatever their outcome; the status
below applies when the error is the whole answer. Inside a batch an error concerns only its own item. \`…\` stands for
the particular case.

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
