import { defineConfig } from 'prisma/config'

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // For the commands that connect to a database; `prisma generate` does not.
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
