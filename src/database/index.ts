export { type Database, type DatabaseOptions, openDatabase } from './client.ts'
export { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './embedded/start.ts'
export { Prisma, type PrismaClient } from './generated/client.ts'
export { type MigrateOptions, migrate } from './migrate.ts'
