/*
 * The file of address ranges: one line of JSON that a person can read, then the compressed body.
 *
 * The body is six columns of unsigned LEB128 numbers and the names. Ranges are stored as a partition of the address
 * space: each entry says where a range starts and who has it until the next entry; owner 0 is nobody. Sorted numbers
 * are stored as differences, which compress to a fraction.
 */

export const FORMAT_VERSION = 1;

export type AsnTableHeader = {
  format: 'vouchgraph-asn-table';
  formatVersion: number;
  source: string;
  sourceVersion: string;
  /** When the ranges were published, YYYY-MM-DD. */
  dataDate: string;
  licence: string;
  attribution: string;
  systems: number;
  ipv4Entries: number;
  ipv6Entries: number;
};

/** Where each range starts and the index, from 1, of the autonomous system that has it. */
export type Partition = { starts: Uint32Array; owners: Uint32Array };

export type AsnTableBody = {
  /** Autonomous system numbers, ascending. */
  numbers: Uint32Array;
  /** Their names in UTF-8, one after the other; name i lies between nameEnds[i − 1] and nameEnds[i]. */
  names: Uint8Array;
  nameEnds: Uint32Array;
  /** One word an entry. */
  ipv4: Partition;
  /** Four words an entry, the most significant first. */
  ipv6: Partition;
};

/** Writes the body; the same body gives the same bytes. */
export function encodeBody(body: AsnTableBody): Uint8Array {
  const writer = new NumberWriter();
  writer.column(differences(body.numbers));
  writer.column(differences(body.nameEnds));
  writer.column(differences(body.ipv4.starts));
  writer.column(body.ipv4.owners);
  for (let word = 0; word < 4; word++) {
    const column = body.ipv6.starts.filter((_, index) => index % 4 === word);
    writer.column(word === 0 ? differences(column) : column);
  }
  writer.column(body.ipv6.owners);
  return Buffer.concat([writer.bytes(), body.names]);
}

/** Reads what encodeBody wrote. The counts come from the header. */
export function decodeBody(bytes: Uint8Array, header: AsnTableHeader): AsnTableBody {
  const { systems, ipv4Entries, ipv6Entries } = header;
  const reader = new NumberReader(bytes);
  const numbers = reader.ascending(systems);
  const nameEnds = reader.ascending(systems);
  const ipv4 = { starts: reader.ascending(ipv4Entries), owners: reader.column(ipv4Entries) };
  const starts = new Uint32Array(ipv6Entries * 4);
  for (let word = 0; word < 4; word++) {
    const column = word === 0 ? reader.ascending(ipv6Entries) : reader.column(ipv6Entries);
    for (let index = 0; index < ipv6Entries; index++) starts[index * 4 + word] = column[index]!;
  }
  const owners = reader.column(ipv6Entries);
  return { numbers, nameEnds, ipv4, ipv6: { starts, owners }, names: reader.rest() };
}

function differences(ascending: Uint32Array): Uint32Array {
  return ascending.map((value, index) => (index === 0 ? value : value - ascending[index - 1]!));
}

class NumberWriter {
  readonly #bytes: number[] = [];

  column(values: Uint32Array): void {
    for (const value of values) this.#number(value);
  }

  #number(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#bytes.push(rest);
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  column(length: number): Uint32Array {
    const values = new Uint32Array(length);
    for (let index = 0; index < length; index++) values[index] = this.#number();
    return values;
  }

  ascending(length: number): Uint32Array {
    const values = new Uint32Array(length);
    let value = 0;
    for (let index = 0; index < length; index++) values[index] = value += this.#number();
    return values;
  }

  #number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('the file ends too early');
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }
}
