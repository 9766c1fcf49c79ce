/**
 * What every Galley under test is set to: any free port, sites on loopback, as many requests as a test likes, and a folder
 * for the files that it makes which is not that of somebody's real Galley.
 */
export const testSettings = {
  PORT: '0',
  GALLEY_ALLOW_PRIVATE: 'all',
  GALLEY_REQUESTS_PER_MINUTE: '0',
  GALLEY_DATA_DIR: '.cache/test-data',
}
