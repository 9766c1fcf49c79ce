/** Settings of every Galley under test: any free port, sites on loopback, no rate limit, and a data folder for tests. */
export const testSettings = {
  PORT: '0',
  GALLEY_ALLOW_PRIVATE: 'all',
  GALLEY_REQUESTS_PER_MINUTE: '0',
  GALLEY_DATA_DIR: '.cache/test-data',
}
