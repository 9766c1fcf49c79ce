import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { AudioFormat, AudioRequest } from '../../../src/contract/generation/requests.ts'
import type { JobRun } from '../../../src/generation/jobs/job-run.ts'
import { makeAudio } from '../../../src/generation/pipeline/speech/speech.ts'
import type { Storage } from '../../../src/generation/storage/storage.ts'
import { attempt, toneProvider } from './rehearsal.ts'

/*
 * A program: has a text of 100,000 characters spoken, 15 characters a second, with answers and the file on disk, and says
 * by how many bytes the process grew at most. Arguments: a folder, the format, and the part of a second that a second of
 * speech is, where all of it would take too long.
 */
const [, , folder = '.', format = 'wav', part = '1'] = process.argv

const text = 'These words are spoken, and nobody listens to them. '.repeat(2_000).slice(0, 100_000).trim()
const provider = toneProvider({ longestText: 4_000, perCharacter: Number(part) / 15 })

/** A run whose answers lie in files, as those of a job do. */
function onDisk(run: JobRun<'audio'>): JobRun<'audio'> {
  const asked = new Set<string>()
  return {
    ...run,
    answer: async (part, [candidate], call) => {
      const file = join(folder, part.name)
      const told = { provider: 'tones', model: 'tone-1' }
      if (!asked.has(file) && candidate) {
        const { body } = await call(candidate, { idempotencyKey: file, signal: run.signal })
        await writeFile(file, body)
        asked.add(file)
        return { ...told, body }
      }
      return { ...told, body: await readFile(file) }
    },
  }
}

const storage: Pick<Storage, 'keep'> = {
  keep: async ({ type, extension, body }) => {
    const file = createWriteStream(join(folder, `speech.${extension}`))
    await pipeline(body as AsyncIterable<Buffer>, file)
    return { token: 'speech', url: 'https://galley.example/files/speech', type, bytes: file.bytesWritten }
  },
}

async function main() {
  const request = {
    text,
    voice: 'Kore',
    language: 'en-US',
    format: format as AudioFormat,
    style: null,
    model: 'standard',
    webhook_url: null,
  } satisfies AudioRequest
  const none = () => []
  const providers = { text: none, research: none, search: none, pictures: none, speech: () => [provider] }
  const peak = () => process.resourceUsage().maxRSS * 1_024
  const before = peak()
  const { duration } = await makeAudio(onDisk(attempt('audio', request)), { providers, storage })
  console.log(JSON.stringify({ duration, grewBy: peak() - before, before }))
}

void main()
