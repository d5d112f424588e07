import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { uuidOfHex } from './ids.ts';

/*
 * Envelope encryption. The master key (32 bytes, from the operator) seals one random data key per project; from the
 * data key come, by HKDF-SHA-256, an encryption key, a blind-index key, a signing key and one for files. A sealed blob is
 *
 *   version (1 byte: 2 where the text was deflated first) | IV (12) | GCM tag (16) | ciphertext
 *
 * with project, table and row id as additional data, so that a blob moved to another row does not open.
 * KeyObjects are made once per project: making them from Buffers per call costs three to five times more.
 */
const VERSION = 1;
const DEFLATED = 2;
/** Shorter texts hardly become smaller. */
const DEFLATED_FROM = 512;
/** The quickest; a window that spans what is sealed spares the clearing of a large one. */
const DEFLATE = { level: 1, memLevel: 5, windowBits: 12 };
const HEADER = 29;
/** The first bytes of a blob, version, IV and tag: no two blobs have the same. */
export const SEAL_BYTES = HEADER;
const BLIND_INDEX_BYTES = 16;

/** A block of AES, and a UUID. */
const BLOCK_BYTES = 16;

/** Pseudonyms of UUIDs: 22 characters of base64url. */
export type Pseudonyms = {
  of(id: string): string;
  /** The UUID of a pseudonym; null for text that has not its form. Any other text has a UUID, which nothing has. */
  idOf(pseudonym: string): string | null;
};

function seal(key: KeyObject, aad: string, plain: Buffer, version = VERSION): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(aad));
  const body = cipher.update(plain);
  const rest = cipher.final();
  const blob = Buffer.allocUnsafe(HEADER + body.length + rest.length);
  blob[0] = version;
  iv.copy(blob, 1);
  cipher.getAuthTag().copy(blob, 13);
  body.copy(blob, HEADER);
  rest.copy(blob, HEADER + body.length);
  return blob;
}

function open(key: KeyObject, aad: string, blob: Uint8Array): Buffer {
  const version = blob[0];
  if ((version !== VERSION && version !== DEFLATED) || blob.length < HEADER)
    throw new Error('sealed blob of an unknown version');
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(1, 13));
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(blob.subarray(13, HEADER));
  const plain = Buffer.concat([decipher.update(blob.subarray(HEADER)), decipher.final()]);
  return version === DEFLATED ? inflateRawSync(plain) : plain;
}

/** Seals and opens what belongs to one project, and makes its keyed hashes. */
export class ProjectCipher {
  readonly #projectId: string;
  readonly #encryption: KeyObject;
  readonly #index: KeyObject;
  readonly #signing: KeyObject;
  readonly #files: KeyObject;

  constructor(projectId: string, dataKey: Uint8Array) {
    this.#projectId = projectId;
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', dataKey, projectId, `vouchgraph ${purpose} v1`, 32)));
    this.#encryption = derive('encryption');
    this.#index = derive('blind index');
    this.#signing = derive('signing');
    this.#files = derive('files');
  }

  /** Encrypts a JSON value for one row of one table. */
  sealJson(table: string, rowId: string, value: unknown): Buffer {
    return seal(this.#encryption, `${this.#projectId}:${table}:${rowId}`, Buffer.from(JSON.stringify(value)));
  }

  /** The same in fewer bytes, for what is kept in large numbers and seldom read. */
  sealCompactJson(table: string, rowId: string, value: unknown): Buffer {
    const plain = Buffer.from(JSON.stringify(value));
    const aad = `${this.#projectId}:${table}:${rowId}`;
    if (plain.length < DEFLATED_FROM) return seal(this.#encryption, aad, plain);
    return seal(this.#encryption, aad, deflateRawSync(plain, DEFLATE), DEFLATED);
  }

  /** Opens what sealJson or sealCompactJson made for the same row; throws when the blob was altered or belongs elsewhere. */
  openJson<T>(table: string, rowId: string, blob: Uint8Array): T {
    return JSON.parse(
      open(this.#encryption, `${this.#projectId}:${table}:${rowId}`, blob).toString('utf8'),
    ) as T;
  }

  /** The key of one file, told apart from all others by its random salt (16 bytes). */
  fileKey(purpose: string, salt: Uint8Array): KeyObject {
    const bytes = hkdfSync('sha256', this.#files, salt, `vouchgraph ${purpose} file v1`, 32);
    return createSecretKey(Buffer.from(bytes));
  }

  /** A 16-byte keyed hash by which equal values are found without storing them. */
  blindIndex(kind: string, value: string): Buffer {
    return createHmac('sha256', this.#index)
      .update(`${kind}\0${value}`)
      .digest()
      .subarray(0, BLIND_INDEX_BYTES);
  }

  /**
   * Encrypts a text for a purpose, the same text always alike (the IV is a keyed hash of the text, as in SIV); base64url.
   */
  sealText(purpose: string, text: string): string {
    const plain = Buffer.from(text);
    const iv = this.#ivOf(purpose, plain);
    const cipher = createCipheriv('aes-256-ctr', this.#encryption, iv);
    return Buffer.concat([iv, cipher.update(plain), cipher.final()]).toString('base64url');
  }

  /** Decrypts what `sealText` returned for the same purpose; null for any other text. */
  openText(purpose: string, sealed: string): string | null {
    const blob = Buffer.from(sealed, 'base64url');
    // A second spelling of the same bytes is another text.
    if (blob.length < BLOCK_BYTES || blob.toString('base64url') !== sealed) return null;
    const iv = blob.subarray(0, BLOCK_BYTES);
    const decipher = createDecipheriv('aes-256-ctr', this.#encryption, iv);
    const plain = Buffer.concat([decipher.update(blob.subarray(BLOCK_BYTES)), decipher.final()]);
    return timingSafeEqual(this.#ivOf(purpose, plain), iv) ? plain.toString('utf8') : null;
  }

  #ivOf(purpose: string, plain: Buffer): Buffer {
    const hash = createHmac('sha256', this.#index).update(`sealed text\0${purpose}\0`).update(plain);
    return hash.digest().subarray(0, BLOCK_BYTES);
  }

  /**
   * Pseudonyms of UUIDs within a view: a keyed permutation of 128 bits, another one for each view, so that pseudonyms of
   * two views cannot be joined without the key.
   */
  pseudonyms(view: string): Pseudonyms {
    const key = createHmac('sha256', this.#index).update(`pseudonyms\0${view}`).digest();
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    return {
      of: (id) => cipher.update(Buffer.from(id.replaceAll('-', ''), 'hex')).toString('base64url'),
      idOf(pseudonym) {
        const blob = Buffer.from(pseudonym, 'base64url');
        if (blob.length !== BLOCK_BYTES || blob.toString('base64url') !== pseudonym) return null;
        return uuidOfHex(decipher.update(blob).toString('hex'));
      },
    };
  }

  /** A signature over a text for a purpose (base64url, 256 bits). */
  sign(purpose: string, text: string): string {
    return createHmac('sha256', this.#signing).update(`${purpose}\0${text}`).digest('base64url');
  }

  /** Whether `signature` is ours for this purpose and text, in constant time. */
  verify(purpose: string, text: string, signature: string): boolean {
    return equalInConstantTime(this.sign(purpose, text), signature);
  }
}

/** The operator's key that seals each project's data key. */
export class MasterKey {
  readonly #key: KeyObject;

  /** `text` is 32 bytes as base64 or hex; throws a one-line error otherwise. */
  constructor(text: string) {
    const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
    if (bytes.length !== 32)
      throw new Error('MASTER_KEY must be 32 bytes as base64 or hex (openssl rand -base64 32)');
    this.#key = createSecretKey(bytes);
  }

  /** A new random data key, sealed for storage. */
  newSealedKey(projectId: string): Buffer {
    return seal(this.#key, `${projectId}:projects:${projectId}`, randomBytes(32));
  }

  /** The cipher of a project; throws when the sealed key was made with another master key. */
  cipherFor(projectId: string, sealedKey: Uint8Array): ProjectCipher {
    return new ProjectCipher(projectId, open(this.#key, `${projectId}:projects:${projectId}`, sealedKey));
  }
}

export function generateMasterKey(): string {
  return randomBytes(32).toString('base64');
}

export function sha256(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Compares two texts without telling by time where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
