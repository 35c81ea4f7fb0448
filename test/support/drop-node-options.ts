/** Removes the options that the test runner gave this process, so that programs which tests start run as a user starts them. */
delete process.env['NODE_OPTIONS'];
