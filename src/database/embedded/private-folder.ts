import { chmod, chown, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from '../log.ts'
import { canReach, type ServerUser } from './server-user.ts'

/** Set on folders that many share, such as /tmp. */
const STICKY = 0o1000

/**
 * Closes the data folder to everybody else, also one that was open until now: the keys to all passwords lie in it. Where
 * the server runs as another user, who must pass through it, it is made over to that user: root gets in all the same,
 * and what is root's own in it stays unreadable.
 */
export async function closeDataFolder(path: string, log: Log, user: ServerUser | undefined): Promise<void> {
  if (process.platform === 'win32') return
  const { mode, uid } = await stat(path)
  const ours = uid === process.getuid?.() || uid === user?.uid
  if (!ours || mode & STICKY) {
    log.warn(
      `The data folder ${path} belongs to others too, and was left as it is. Give Galley one of its own (GALLEY_DATA_DIR): it holds the keys to stored passwords.`,
    )
    return
  }
  await closeFor(path, user && (await canReach(dirname(path), user, 0o1)) ? user : undefined)
}

/** Gives a folder to the server's user, and to nobody else. */
export async function closeFor(path: string, user: ServerUser | undefined): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid)
  await chmod(path, 0o700)
}
