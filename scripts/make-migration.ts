/**
 * `npm run migration -- NAME` writes prisma/migrations/<time>_NAME/migration.sql: what has changed in
 * prisma/schema.prisma since the newest migration. Read it, and mend it by hand where need be, before committing it.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrationsFolder } from '../src/database/migration-files.ts'
import { migratedSchemaFile, schemaDifferences, schemaFile } from './schema-differences.ts'

const name = process.argv[2] ?? ''
if (!/^[a-z0-9_]+$/.test(name)) {
  throw new Error('Name the migration in lower case, as in: npm run migration -- site_labels')
}

const sql = await schemaDifferences(migratedSchemaFile, schemaFile)
if (sql === undefined) {
  console.log('Every change of prisma/schema.prisma has its migration: nothing to write.')
} else {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const folder = join(migrationsFolder, `${time}_${name}`)
  await mkdir(folder)
  await writeFile(join(folder, 'migration.sql'), sql)
  await copyFile(schemaFile, migratedSchemaFile)
  console.log(`Wrote ${join(folder, 'migration.sql')}`)
}
