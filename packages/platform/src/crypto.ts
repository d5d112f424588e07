import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseExactJson } from './exact-json.ts';
import { uuidOfHex } from './ids.ts';

/*
 * Envelope encryption. The master key (32 bytes, from the operator) encrypts one random data key per project. An encryption key, a
 * blind-index key, a signing key, a key for files and an Ed25519 key are derived from the data key by HKDF-SHA-256. An encrypted value is
 *
 *   version (1 byte; 2 for compressed text) | IV (12) | GCM tag (16) | ciphertext
 *
 * with project, table and row id as additional authenticated data, so that a value moved to another row cannot be decrypted.
 * KeyObjects are created once per project: creating them from Buffers per call costs three to five times more.
 */
const VERSION = 1;
const DEFLATED = 2;
/** A shorter text saves few bytes for the 20 µs of a compression. */
const DEFLATED_FROM = 256;
/** Names and frequent values of stored JSON, which compressed texts refer to. A better one gets another file and another version. */
const dictionary = readFileSync(new URL('../data/json-dictionary.txt', import.meta.url));
/** Every stored text depends on each byte, and a check-out can change the ends of lines. */
if (hash('sha256', dictionary) !== '8d7a9163fdf408ce2154d23875cb29f4ae6e3f8cb748a9123e939742505ae843')
  throw new Error('json-dictionary.txt was changed: stored values could not be read');
/** A fast level; the window contains the dictionary and a text of 9 KB. */
const DEFLATE = { level: 2, memLevel: 6, windowBits: 14, dictionary };
const INFLATE = { windowBits: 14, dictionary };
const HEADER = 29;
/** Length of version, IV and tag, which are unique per encrypted value. */
export const ENCRYPTION_HEADER_BYTES = HEADER;
const BLIND_INDEX_BYTES = 16;

/** Size of an AES block, and of a UUID. */
const BLOCK_BYTES = 16;

/** Pseudonyms of UUIDs: 22 characters of base64url. */
export type Pseudonyms = {
  of(id: string): string;
  /** The UUID of a pseudonym; null for a malformed text. A well-formed text that is no pseudonym returns an unused UUID. */
  idOf(pseudonym: string): string | null;
};

const IV_BYTES = 12;
/** Random bytes for the next IVs, each of which is used once. */
const ivPool = Buffer.allocUnsafeSlow(IV_BYTES * 256);
let ivOffset = ivPool.length;

function newIv(): Buffer {
  if (ivOffset === ivPool.length) {
    randomFillSync(ivPool);
    ivOffset = 0;
  }
  ivOffset += IV_BYTES;
  return ivPool.subarray(ivOffset - IV_BYTES, ivOffset);
}

function encrypt(key: KeyObject, aad: string, plain: Buffer, version = VERSION): Buffer {
  const iv = newIv();
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

function decrypt(key: KeyObject, aad: string, blob: Uint8Array): Buffer {
  const version = blob[0];
  if ((version !== VERSION && version !== DEFLATED) || blob.length < HEADER)
    throw new Error('encrypted value of an unknown version');
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(1, 13));
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(blob.subarray(13, HEADER));
  const plain = Buffer.concat([decipher.update(blob.subarray(HEADER)), decipher.final()]);
  return version === DEFLATED ? inflateRawSync(plain, INFLATE) : plain;
}

/** Encrypts and decrypts values of one project, and computes its keyed hashes. */
export class ProjectCipher {
  readonly #projectId: string;
  readonly #encryption: KeyObject;
  readonly #index: KeyObject;
  readonly #signing: KeyObject;
  readonly #files: KeyObject;
  readonly #publicSigning: KeyObject;
  #keyPair: KeyPair | undefined;

  constructor(projectId: string, dataKey: Uint8Array) {
    this.#projectId = projectId;
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', dataKey, projectId, `vouchgraph ${purpose} v1`, 32)));
    this.#encryption = derive('encryption');
    this.#index = derive('blind index');
    this.#signing = derive('signing');
    this.#files = derive('files');
    this.#publicSigning = derive('public signing');
  }

  /** Encrypts a JSON value for one row of one table. */
  encryptJson(table: string, rowId: string, value: unknown): Buffer {
    return encrypt(
      this.#encryption,
      `${this.#projectId}:${table}:${rowId}`,
      Buffer.from(JSON.stringify(value)),
    );
  }

  /** Encrypts a compressed JSON value, for long values that are stored in large numbers. */
  encryptCompactJson(table: string, rowId: string, value: unknown): Buffer {
    const plain = Buffer.from(JSON.stringify(value));
    const aad = `${this.#projectId}:${table}:${rowId}`;
    if (plain.length < DEFLATED_FROM) return encrypt(this.#encryption, aad, plain);
    return encrypt(this.#encryption, aad, deflateRawSync(plain, DEFLATE), DEFLATED);
  }

  /** Decrypts a value of encryptJson or encryptCompactJson for the same row; throws when it was modified or belongs elsewhere. */
  decryptJson<T>(table: string, rowId: string, blob: Uint8Array): T {
    return JSON.parse(this.#plainText(table, rowId, blob)) as T;
  }

  /** The same for a value that contains data of the client, whose numbers keep their texts. */
  decryptExactJson<T>(table: string, rowId: string, blob: Uint8Array): T {
    return parseExactJson(this.#plainText(table, rowId, blob)) as T;
  }

  #plainText(table: string, rowId: string, blob: Uint8Array): string {
    return decrypt(this.#encryption, `${this.#projectId}:${table}:${rowId}`, blob).toString('utf8');
  }

  /** The key of one file, derived from its random salt (16 bytes). */
  fileKey(purpose: string, salt: Uint8Array): KeyObject {
    const bytes = hkdfSync('sha256', this.#files, salt, `vouchgraph ${purpose} file v1`, 32);
    return createSecretKey(Buffer.from(bytes));
  }

  /** A 16-byte keyed hash for finding equal values without storing them. */
  blindIndex(kind: string, value: string): Buffer {
    return createHmac('sha256', this.#index)
      .update(`${kind}\0${value}`)
      .digest()
      .subarray(0, BLIND_INDEX_BYTES);
  }

  /**
   * Encrypts a text for a purpose deterministically (the IV is a keyed hash of the text, as in SIV); base64url.
   */
  encryptText(purpose: string, text: string): string {
    const plain = Buffer.from(text);
    const iv = this.#ivOf(purpose, plain);
    const cipher = createCipheriv('aes-256-ctr', this.#encryption, iv);
    return Buffer.concat([iv, cipher.update(plain), cipher.final()]).toString('base64url');
  }

  /** Decrypts a text of `encryptText` for the same purpose; null for any other text. */
  decryptText(purpose: string, encrypted: string): string | null {
    const blob = Buffer.from(encrypted, 'base64url');
    // Another base64url encoding of the same bytes is rejected.
    if (blob.length < BLOCK_BYTES || blob.toString('base64url') !== encrypted) return null;
    const iv = blob.subarray(0, BLOCK_BYTES);
    const decipher = createDecipheriv('aes-256-ctr', this.#encryption, iv);
    const plain = Buffer.concat([decipher.update(blob.subarray(BLOCK_BYTES)), decipher.final()]);
    return timingSafeEqual(this.#ivOf(purpose, plain), iv) ? plain.toString('utf8') : null;
  }

  #ivOf(purpose: string, plain: Buffer): Buffer {
    const hash = createHmac('sha256', this.#index).update(`encrypted text\0${purpose}\0`).update(plain);
    return hash.digest().subarray(0, BLOCK_BYTES);
  }

  /**
   * Pseudonyms of UUIDs within a view: a keyed permutation of 128 bits that differs per view, so that pseudonyms of two views cannot
   * be joined without the key.
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

  /** Signs a text for a purpose (base64url, 256 bits). */
  sign(purpose: string, text: string): string {
    return createHmac('sha256', this.#signing).update(`${purpose}\0${text}`).digest('base64url');
  }

  /** The project's Ed25519 key, by which anybody can verify `signPublicly`: 32 bytes as base64url. */
  get publicKey(): string {
    return this.#keys.publicKey;
  }

  /** Signs a text with Ed25519 (base64url, 64 bytes). The text names its purpose. */
  signPublicly(text: string): string {
    return sign(null, Buffer.from(text), this.#keys.privateKey).toString('base64url');
  }

  get #keys(): KeyPair {
    this.#keyPair ??= ed25519Of(this.#publicSigning.export());
    return this.#keyPair;
  }

  /** Whether `signature` is valid for this purpose and text, in constant time. */
  verify(purpose: string, text: string, signature: string): boolean {
    return equalInConstantTime(this.sign(purpose, text), signature);
  }
}

type KeyPair = { readonly privateKey: KeyObject; readonly publicKey: string };

/** What precedes the 32 bytes of an Ed25519 key in its PKCS #8 and SPKI encodings (RFC 8410). */
const ED25519_PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519_PUBLIC = Buffer.from('302a300506032b6570032100', 'hex');

function ed25519Of(seed: Buffer): KeyPair {
  const der = Buffer.concat([ED25519_PRIVATE, seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: spki.subarray(ED25519_PUBLIC.length).toString('base64url') };
}

/** Whether an Ed25519 signature of `signPublicly` is valid. False for a malformed key or signature. */
export function isPublicSignature(publicKey: string, text: string, signature: string): boolean {
  try {
    const der = Buffer.concat([ED25519_PUBLIC, Buffer.from(publicKey, 'base64url')]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

/** The operator's key, which encrypts the data keys of projects. */
export class MasterKey {
  readonly #key: KeyObject;

  /** `text` is 32 bytes as base64 or hex; throws a one-line error otherwise. */
  constructor(text: string) {
    const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
    if (bytes.length !== 32)
      throw new Error('MASTER_KEY must be 32 bytes as base64 or hex (openssl rand -base64 32)');
    this.#key = createSecretKey(bytes);
  }

  /** A secret of the installation for this purpose, as text: it follows from the master key and is stored nowhere. */
  secretFor(purpose: string): string {
    return createHmac('sha256', this.#key).update(`secret of ${purpose}`).digest('base64url');
  }

  /** Encrypts a text of the installation, which belongs to no project. `place` names the stored value. */
  encryptText(place: string, text: string): Buffer {
    return encrypt(this.#key, `installation:${place}`, Buffer.from(text));
  }

  /** Decrypts the value of the same place; throws for one of another key or place. */
  decryptText(place: string, encrypted: Uint8Array): string {
    return decrypt(this.#key, `installation:${place}`, encrypted).toString('utf8');
  }

  /** A new random data key, encrypted for storage. */
  newEncryptedKey(projectId: string): Buffer {
    return encrypt(this.#key, `${projectId}:projects:${projectId}`, randomBytes(32));
  }

  /** The cipher of a project; throws when the key was encrypted with another master key. */
  cipherFor(projectId: string, encryptedKey: Uint8Array): ProjectCipher {
    return new ProjectCipher(
      projectId,
      decrypt(this.#key, `${projectId}:projects:${projectId}`, encryptedKey),
    );
  }
}

export function generateMasterKey(): string {
  return randomBytes(32).toString('base64');
}

export function sha256(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Compares two texts in constant time. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
