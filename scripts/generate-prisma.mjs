/**
 * Writes the Prisma client (src/database/generated) from prisma/schema.prisma, with no network: `npm ci` runs it.
 *
 * It calls the generator that `prisma generate` calls. The package `prisma` brings Prisma Studio, React, drivers of
 * other databases and a database server as well, 300 MB, one of which does not run on Node 20.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

// Both are CommonJS, and what they export is not seen from an import of names.
const require = createRequire(import.meta.url)
const { getGenerators, loadSchemaContext } = require('@prisma/internals')
const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts')

const schema = fileURLToPath(new URL('../prisma/schema.prisma', import.meta.url))
const [generator] = await getGenerators({
  schemaContext: await loadSchemaContext({
    schemaPath: { cliProvidedPath: schema },
    printLoadMessage: false,
  }),
  registry: { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } },
  skipDownload: true,
  cliCommand: 'generate',
})
await generator.generate()
generator.stop()
