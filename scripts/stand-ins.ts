import type { Plugin } from 'esbuild'

/**
 * Files of packages that the bundle has otherwise, for what they cost every start. Each gives all that Galley uses: a
 * name that it imports and that is missing here ends the build.
 */
const standIns: { file: RegExp; contents: string }[] = [
  {
    // The whole loads mocks, caches, WebSockets and a second `fetch`, and touches Node's own: 22 ms.
    file: /node_modules\/undici\/index\.js$/,
    contents: `
      import Agent from './lib/dispatcher/agent.js'
      import Dispatcher from './lib/dispatcher/dispatcher.js'
      import Pool from './lib/dispatcher/pool.js'
      import api from './lib/api/index.js'
      import buildConnector from './lib/core/connect.js'
      Object.assign(Dispatcher.prototype, api)
      export { Agent, buildConnector, Pool }`,
  },
  {
    // graphile-worker looks for settings in files of the working folder and of all above it. Galley gives it all it
    // needs, and nobody's file there may change that; the packages that would read one are sixty modules.
    file: /node_modules\/cosmiconfig\/dist\/index\.js$/,
    contents: 'exports.cosmiconfigSync = () => ({ search: () => null })',
  },
  {
    // Finds out whether it runs in a Cloudflare Worker, and makes Node 20 load its `fetch` for that: 18 ms.
    file: /node_modules\/pg\/lib\/stream\.js$/,
    contents: `
      const { Socket } = require('node:net')
      const { connect } = require('node:tls')
      module.exports = { getStream: () => new Socket(), getSecureStream: connect }`,
  },
  {
    // Tells developers that they call what is deprecated, and for that asks for a stack at once, as soon as it is loaded.
    // To find lines and columns, V8 then reads the whole bundle: 15 ms.
    file: /node_modules\/depd\/index\.js$/,
    contents: `module.exports = () =>
      Object.assign(() => undefined, { function: (called) => called, property: () => undefined })`,
  },
  {
    // Galley speaks English; the other 50 languages are 400 kB.
    file: /node_modules\/zod\/v4\/locales\/index\.js$/,
    contents: `export { default as en } from './en.js'`,
  },
]

/** Puts the stand-ins in their places. */
export const withStandIns: Plugin = {
  name: 'stand-ins',
  setup({ onLoad }) {
    for (const { file, contents } of standIns) onLoad({ filter: file }, () => ({ contents }))
  },
}
