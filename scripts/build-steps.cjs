/** Programs that a build runs, in order: a file below the repository, and its arguments. */
module.exports = [
  ['node_modules/typescript/bin/tsc', '-b'],
  ['build/scripts/core/build.js'],
  ['build/scripts/bundle.js'],
];
