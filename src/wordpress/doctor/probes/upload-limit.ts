import type { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { type Finding, ok, problem, warning } from '../report.ts'
import type { Leftover } from './leftovers.ts'
import { uploadAndRemove } from './temporary-file.ts'

const MEGABYTE = 1024 * 1024
/** A generated picture of 1536×1024 is 2 to 4 MB as PNG; ten minutes of narration are about 10 MB as MP3. */
const SIZES_MB = [8, 2] as const
/** What is sent: one for all sites, never written to, and so without memory of its own. */
const ZERO_BYTES = Buffer.alloc(SIZES_MB[0] * MEGABYTE)

interface LimitResult {
  finding: Finding
  uploadBytes: number
  leftBehind: Leftover[]
}

/**
 * How large a file gets through. WordPress tells no limit over REST, and there are four (web server,
 * post_max_size, upload_max_filesize, multisite), so a file is sent whose *type* is refused: WordPress looks
 * at the size first, and a big one that is refused in the same words as a tiny one was not too big.
 */
export async function probeUploadLimit(
  client: WordPressClient,
  { marker, lists = true }: { marker: string; lists?: boolean },
): Promise<LimitResult> {
  const leftBehind: Leftover[] = []
  const refusalOf = async (bytes: number): Promise<string | null> => {
    const name = `${marker}-${bytes}`
    const { refusal, leftBehind: left } = await uploadAndRemove(
      { client, lists },
      {
        bytes: ZERO_BYTES.subarray(0, bytes),
        mimeType: 'application/octet-stream',
        fileName: `${name}.galley`,
        marker: name,
      },
    )
    leftBehind.push(...left)
    return refusal && inWords(refusal)
  }

  const tiny = await refusalOf(1)
  for (const megabytes of SIZES_MB) {
    const bytes = megabytes * MEGABYTE
    if ((await refusalOf(bytes)) === tiny)
      return { finding: limitPassedFinding(megabytes), uploadBytes: bytes, leftBehind }
  }
  return { finding: limitTooSmallFinding(), uploadBytes: 0, leftBehind }
}

/** Code and WordPress's own words: the code alone is the same for a type and a size that is refused. */
function inWords({ code, details }: GalleyError): string {
  const said =
    typeof details === 'object' && details !== null && 'wordpress' in details ? details.wordpress : null
  return JSON.stringify([code, said])
}

function limitPassedFinding(megabytes: number): Finding {
  const [wanted] = SIZES_MB
  const seen = `A file of ${megabytes} MB gets through`
  if (megabytes === wanted)
    return ok('upload_limit', `${seen}.`, 'Pictures and narration of usual size can be stored.')
  return warning(
    'upload_limit',
    `${seen}, one of ${wanted} MB does not.`,
    'Large pictures and long narration are refused.',
    'Raise upload_max_filesize and post_max_size in PHP, and the limit of the web server, to 16 MB or more.',
  )
}

const limitTooSmallFinding = (): Finding =>
  problem(
    'upload_limit',
    `Not even a file of ${SIZES_MB[SIZES_MB.length - 1]} MB gets through.`,
    'Most generated pictures are refused.',
    'Raise upload_max_filesize and post_max_size in PHP, and the limit of the web server, to 16 MB or more.',
  )
