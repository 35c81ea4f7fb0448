/** Ends with one sentence where node is too old for what npm runs next. In a syntax that any node reads; `src/cli/main.ts` does the same. */
const minimum = require('../package.json').engines.node.replace('>=', '');

function rank(version) {
  const parts = version.split('.');
  return Number(parts[0]) * 1000 + Number(parts[1]);
}

if (rank(process.versions.node) < rank(minimum)) {
  console.error(`portcullis: needs Node ${minimum} or later, and this is ${process.versions.node}`);
  process.exit(1);
}
