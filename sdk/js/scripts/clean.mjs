// Removes what an earlier build made, so that a file that is gone is not shipped.
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
