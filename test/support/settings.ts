/** What every Galley under test is set to: any free port, sites on loopback, and as many requests as a test likes. */
export const testSettings = { PORT: '0', GALLEY_ALLOW_PRIVATE: 'all', GALLEY_REQUESTS_PER_MINUTE: '0' }
