"""Units of measurement: what each is for pint, and its names in each language.

Cups, spoons, ounces, pints, quarts and gallons are those of the United States in English; in other languages cups and
spoons are metric: 250, 15 and 5 milliliters. A ton is 2,000 pounds in English, a tonne 1,000 kilograms. A year has 365
days. An ounce is one of weight, or of volume where the other unit is one of volume.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit as so many units of pint."""

    dimension: str
    """Units of the same dimension can be converted into each other."""

    pint: str
    factor: Fraction = Fraction(1)


def _units(dimension: str, names: str) -> dict[str, Unit]:
    """Return units whose keys are also their names in pint, except where an equals sign stands between the two."""
    pairs = ((key, name or key) for key, _, name in (each.partition("=") for each in names.split()))
    return {key: Unit(dimension, name) for key, name in pairs}


UNITS: Mapping[str, Unit] = {
    **_units("length", "meter kilometer centimeter millimeter micrometer nanometer mile yard foot inch nautical_mile"),
    **_units("length", "light_year decimeter astronomical_unit"),
    **_units(
        "mass", "gram kilogram milligram microgram metric_ton short_ton pound ounce stone slug carat grain troy_ounce"
    ),
    **_units("volume", "liter milliliter deciliter centiliter cup tablespoon teaspoon fluid_ounce pint quart gallon"),
    **_units("volume", "imperial_gallon imperial_pint cubic_meter=meter**3 cubic_centimeter=centimeter**3"),
    **_units("volume", "cubic_foot=foot**3 cubic_inch=inch**3 cubic_yard=yard**3 hectoliter barrel=oil_barrel bushel"),
    "metric_cup": Unit("volume", "milliliter", Fraction(250)),
    "metric_tablespoon": Unit("volume", "milliliter", Fraction(15)),
    "metric_teaspoon": Unit("volume", "milliliter", Fraction(5)),
    **_units("temperature", "celsius=degC fahrenheit=degF kelvin"),
    **_units("time", "millisecond microsecond nanosecond second minute hour day week fortnight year=common_year"),
    "month": Unit("years", "common_year", Fraction(1, 12)),
    "average_month": Unit("time", "common_year", Fraction(1, 12)),
    "calendar_year": Unit("years", "common_year"),
    "decade": Unit("years", "common_year", Fraction(10)),
    "century": Unit("years", "common_year", Fraction(100)),
    "millennium": Unit("years", "common_year", Fraction(1000)),
    **_units("speed", "kilometer_per_hour=kilometer/hour mile_per_hour=mile/hour meter_per_second=meter/second knot"),
    **_units("speed", "foot_per_second=foot/second"),
    **_units("area", "square_meter=meter**2 square_kilometer=kilometer**2 square_centimeter=centimeter**2"),
    **_units("area", "square_foot=foot**2 square_mile=mile**2 square_inch=inch**2 square_yard=yard**2 hectare"),
    # pint has those of the survey of the United States, which differ by two millionths.
    "furlong": Unit("length", "yard", Fraction(220)),
    "fathom": Unit("length", "yard", Fraction(2)),
    "acre": Unit("area", "yard**2", Fraction(4840)),
    **_units("energy", "joule kilojoule kilocalorie watt_hour kilowatt_hour british_thermal_unit"),
    **_units("power", "watt kilowatt megawatt horsepower metric_horsepower"),
    **_units("pressure", "pascal hectopascal kilopascal bar millibar pound_per_square_inch=psi atmosphere"),
    **_units(
        "data",
        "bit byte kilobyte megabyte gigabyte terabyte kibibyte mebibyte gibibyte kilobit megabit gigabit petabyte",
    ),
    **_units("frequency", "hertz kilohertz megahertz gigahertz"),
}
"""The year of "time" has days, that of "years" has months; a month in days or weeks is a twelfth of a year."""

SEVERAL: Mapping[str, tuple[str, ...]] = {
    "ounce": ("ounce", "fluid_ounce"),
    "year": ("year", "calendar_year"),
    "month": ("month", "average_month"),
    "degree": ("celsius", "fahrenheit"),
}
"""What words of more than one unit may mean."""

_ENGLISH = """
meter: meter/meters/metre/metres/m
kilometer: kilometer/kilometers/kilometre/kilometres/km/kms/kilo meters
centimeter: centimeter/centimeters/centimetre/centimetres/cm
millimeter: millimeter/millimeters/millimetre/millimetres/mm
micrometer: micrometer/micrometers/micron/microns
nanometer: nanometer/nanometers/nanometre/nanometres/nm
mile: mile/miles/mi
yard: yard/yards/yd
foot: foot/feet/ft/'
inch: inch/inches/"
nautical_mile: nautical mile/nautical miles
light_year: light year/light years/lightyear/lightyears
furlong: furlong/furlongs
fathom: fathom/fathoms
decimeter: decimeter/decimeters/decimetre/decimetres/dm
astronomical_unit: astronomical unit/astronomical units/au
gram: gram/grams/g/gramme/grammes
kilogram: kilogram/kilograms/kg/kilo/kilos/kgs
milligram: milligram/milligrams/mg
microgram: microgram/micrograms
metric_ton: metric ton/metric tons/tonne/tonnes
short_ton: ton/tons/short ton/short tons/us ton/us tons
pound: pound/pounds/lb/lbs
ounce: ounce/ounces/oz
stone: stone/stones
slug: slug/slugs
carat: carat/carats
grain: grain/grains
troy_ounce: troy ounce/troy ounces
liter: liter/liters/litre/litres/l
milliliter: milliliter/milliliters/millilitre/millilitres/ml
deciliter: deciliter/deciliters/decilitre/decilitres/dl
centiliter: centiliter/centiliters/centilitre/centilitres/cl
cup: cup/cups/us cup/us cups
metric_cup: metric cup/metric cups
tablespoon: tablespoon/tablespoons/tbsp/table spoon/table spoons
teaspoon: teaspoon/teaspoons/tsp/tea spoon/tea spoons
fluid_ounce: fluid ounce/fluid ounces/fl oz
pint: pint/pints
quart: quart/quarts
gallon: gallon/gallons/us gallon/us gallons
imperial_gallon: imperial gallon/imperial gallons/uk gallon/uk gallons/british gallons
imperial_pint: imperial pint/imperial pints/uk pint/uk pints/british pints
cubic_meter: cubic meter/cubic meters/cubic metre/cubic metres
cubic_centimeter: cubic centimeter/cubic centimeters/cubic centimetre/cubic centimetres/cc
cubic_foot: cubic foot/cubic feet
cubic_inch: cubic inch/cubic inches
cubic_yard: cubic yard/cubic yards
bushel: bushel/bushels
barrel: barrel of oil/barrels of oil/oil barrel/oil barrels
celsius: degree Celsius/degrees Celsius/celsius/centigrade/degrees centigrade/degree centigrade/° c/degrees c/c
fahrenheit: degree Fahrenheit/degrees Fahrenheit/fahrenheit/° f/degrees f/f
kelvin: kelvin/kelvin/kelvins/degrees kelvin/k
degree: degree/degrees/°
millisecond: millisecond/milliseconds/ms
microsecond: microsecond/microseconds
nanosecond: nanosecond/nanoseconds
second: second/seconds/sec/secs
minute: minute/minutes/min/mins
hour: hour/hours/hr/hrs
day: day/days
week: week/weeks
fortnight: fortnight/fortnights
year: year/years
month: month/months
decade: decade/decades
century: century/centuries
millennium: millennium/millennia/millenniums
kilometer_per_hour: kilometer per hour/kilometers per hour/kilometres per hour/kph/kmh/km | h/kilometers an hour
mile_per_hour: mile per hour/miles per hour/mph/miles an hour
meter_per_second: meter per second/meters per second/metre per second/metres per second/m | s/meters a second
knot: knot/knots
foot_per_second: foot per second/feet per second
square_meter: square meter/square meters/square metre/square metres/meters squared
square_kilometer: square kilometer/square kilometers/square kilometre/square kilometres
square_centimeter: square centimeter/square centimeters/square centimetres
square_foot: square foot/square feet
square_mile: square mile/square miles
square_inch: square inch/square inches
square_yard: square yard/square yards
acre: acre/acres
hectare: hectare/hectares
joule: joule/joules
kilojoule: kilojoule/kilojoules/kj
kilocalorie: kilocalorie/kilocalories/kcal
watt_hour: watt hour/watt hours
kilowatt_hour: kilowatt hour/kilowatt hours/kwh
british_thermal_unit: BTU/BTUs/british thermal units
watt: watt/watts/w
kilowatt: kilowatt/kilowatts/kw
megawatt: megawatt/megawatts
horsepower: horsepower/horsepower/hp
pascal: pascal/pascals
hectopascal: hectopascal/hectopascals/hpa
kilopascal: kilopascal/kilopascals/kpa
bar: bar/bars
millibar: millibar/millibars
pound_per_square_inch: pound per square inch/pounds per square inch/psi
atmosphere: atmosphere/atmospheres
bit: bit/bits
byte: byte/bytes
kilobyte: kilobyte/kilobytes/kb
megabyte: megabyte/megabytes/mb
gigabyte: gigabyte/gigabytes/gb/gig/gigs
terabyte: terabyte/terabytes/tb
petabyte: petabyte/petabytes/pb
hertz: hertz/hertz/hz
kilohertz: kilohertz/kilohertz/khz
megahertz: megahertz/megahertz/mhz
gigahertz: gigahertz/gigahertz/ghz
kibibyte: kibibyte/kibibytes
mebibyte: mebibyte/mebibytes
gibibyte: gibibyte/gibibytes
kilobit: kilobit/kilobits
megabit: megabit/megabits
gigabit: gigabit/gigabits
"""

_GERMAN = """
meter: Meter/Meter/metern/m
kilometer: Kilometer/Kilometer/kilometern/km
centimeter: Zentimeter/Zentimeter/zentimetern/cm
millimeter: Millimeter/Millimeter/millimetern/mm
mile: Meile/Meilen
yard: Yard/Yards
foot: Fuß/Fuß
inch: Zoll/Zoll
nautical_mile: Seemeile/Seemeilen
light_year: Lichtjahr/Lichtjahre/lichtjahren
gram: Gramm/Gramm/g
kilogram: Kilogramm/Kilogramm/kilo/kg
milligram: Milligramm/Milligramm/mg
metric_ton: Tonne/Tonnen
pound: Pfund/Pfund
ounce: Unze/Unzen
liter: Liter/Liter/litern/l
milliliter: Milliliter/Milliliter/millilitern/ml
deciliter: Deziliter/Deziliter/dezilitern/dl
centiliter: Zentiliter/Zentiliter/zentilitern/cl
metric_cup: Tasse/Tassen
metric_tablespoon: Esslöffel/Esslöffel/el
metric_teaspoon: Teelöffel/Teelöffel/tl
gallon: Gallone/Gallonen
cubic_meter: Kubikmeter/Kubikmeter/kubikmetern
celsius: Grad Celsius/Grad Celsius/celsius/° c
fahrenheit: Grad Fahrenheit/Grad Fahrenheit/fahrenheit/° f
kelvin: Kelvin/Kelvin
degree: Grad/Grad/°
millisecond: Millisekunde/Millisekunden
second: Sekunde/Sekunden
minute: Minute/Minuten
hour: Stunde/Stunden
day: Tag/Tage/tagen
week: Woche/Wochen
year: Jahr/Jahre/jahren
month: Monat/Monate/monaten
decade: Jahrzehnt/Jahrzehnte/jahrzehnten
century: Jahrhundert/Jahrhunderte/jahrhunderten
kilometer_per_hour: Kilometer pro Stunde/Kilometer pro Stunde/stundenkilometer/km | h
mile_per_hour: Meile pro Stunde/Meilen pro Stunde
meter_per_second: Meter pro Sekunde/Meter pro Sekunde/m | s
knot: Knoten/Knoten
square_meter: Quadratmeter/Quadratmeter/quadratmetern
square_kilometer: Quadratkilometer/Quadratkilometer/quadratkilometern
hectare: Hektar/Hektar
joule: Joule/Joule
kilojoule: Kilojoule/Kilojoule
kilocalorie: Kilokalorie/Kilokalorien
kilowatt_hour: Kilowattstunde/Kilowattstunden
watt: Watt/Watt
kilowatt: Kilowatt/Kilowatt
metric_horsepower: PS/PS
bit: Bit/Bit/bits
byte: Byte/Byte/bytes
kilobyte: Kilobyte/Kilobyte
megabyte: Megabyte/Megabyte
gigabyte: Gigabyte/Gigabyte
terabyte: Terabyte/Terabyte
"""

_FRENCH = """
meter: mètre/mètres/m
kilometer: kilomètre/kilomètres/km
centimeter: centimètre/centimètres/cm
millimeter: millimètre/millimètres/mm
mile: mile/miles
yard: yard/yards
foot: pied/pieds
inch: pouce/pouces
gram: gramme/grammes/g
kilogram: kilogramme/kilogrammes/kilo/kilos/kg
milligram: milligramme/milligrammes/mg
metric_ton: tonne/tonnes
pound: livre/livres
ounce: once/onces
liter: litre/litres/l
milliliter: millilitre/millilitres/ml
deciliter: décilitre/décilitres/dl
centiliter: centilitre/centilitres/cl
metric_cup: tasse/tasses
metric_tablespoon: cuillère à soupe/cuillères à soupe/cuillerées à soupe
metric_teaspoon: cuillère à café/cuillères à café/cuillerées à café
gallon: gallon/gallons
celsius: degré Celsius/degrés Celsius/celsius/° c
fahrenheit: degré Fahrenheit/degrés Fahrenheit/fahrenheit/° f
kelvin: kelvin/kelvins
degree: degré/degrés/°
second: seconde/secondes
minute: minute/minutes
hour: heure/heures
day: jour/jours
week: semaine/semaines
year: an/ans/année/années
month: mois/mois
decade: décennie/décennies
century: siècle/siècles
kilometer_per_hour: kilomètre par heure/kilomètres par heure/kilomètres heure/km | h
meter_per_second: mètre par seconde/mètres par seconde
square_meter: mètre carré/mètres carrés
hectare: hectare/hectares
kilowatt: kilowatt/kilowatts
watt: watt/watts
byte: octet/octets
megabyte: mégaoctet/mégaoctets
gigabyte: gigaoctet/gigaoctets
"""

_SPANISH = """
meter: metro/metros/m
kilometer: kilómetro/kilómetros/km
centimeter: centímetro/centímetros/cm
millimeter: milímetro/milímetros/mm
mile: milla/millas
yard: yarda/yardas
foot: pie/pies
inch: pulgada/pulgadas
gram: gramo/gramos/g
kilogram: kilogramo/kilogramos/kilo/kilos/kg
milligram: miligramo/miligramos/mg
metric_ton: tonelada/toneladas
pound: libra/libras
ounce: onza/onzas
liter: litro/litros/l
milliliter: mililitro/mililitros/ml
deciliter: decilitro/decilitros/dl
centiliter: centilitro/centilitros/cl
metric_cup: taza/tazas
metric_tablespoon: cucharada/cucharadas
metric_teaspoon: cucharadita/cucharaditas
gallon: galón/galones
celsius: grado Celsius/grados Celsius/celsius/centígrados/grados centígrados/° c
fahrenheit: grado Fahrenheit/grados Fahrenheit/fahrenheit/° f
kelvin: kelvin/kelvin
degree: grado/grados/°
second: segundo/segundos
minute: minuto/minutos
hour: hora/horas
day: día/días
week: semana/semanas
year: año/años
month: mes/meses
decade: década/décadas
century: siglo/siglos
kilometer_per_hour: kilómetro por hora/kilómetros por hora/km | h
mile_per_hour: milla por hora/millas por hora
meter_per_second: metro por segundo/metros por segundo
square_meter: metro cuadrado/metros cuadrados
hectare: hectárea/hectáreas
kilowatt: kilovatio/kilovatios
watt: vatio/vatios
byte: byte/bytes
megabyte: megabyte/megabytes
gigabyte: gigabyte/gigabytes
"""

_CHINESE = """
meter: 米/米/公尺
kilometer: 公里/公里/千米
centimeter: 厘米/厘米/公分
millimeter: 毫米/毫米
mile: 英里/英里
yard: 码/码
foot: 英尺/英尺
inch: 英寸/英寸
gram: 克/克
kilogram: 公斤/公斤/千克
milligram: 毫克/毫克
metric_ton: 吨/吨
pound: 磅/磅
ounce: 盎司/盎司
liter: 升/升/公升
milliliter: 毫升/毫升
metric_cup: 杯/杯
gallon: 加仑/加仑
celsius: 摄氏度/摄氏度
fahrenheit: 华氏度/华氏度
degree: 度/度
second: 秒/秒/秒钟
minute: 分钟/分钟
hour: 小时/小时
day: 天/天
week: 周/周/个星期/星期
year: 年/年
month: 个月/个月/月
kilometer_per_hour: 公里每小时/公里每小时
square_meter: 平方米/平方米
"""

NAMES: Mapping[str, str] = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "zh-CN": _CHINESE}
"""By line a unit, and its names: one and several as an answer has them, then others. A stroke within a name is |."""

CURRENCIES: Mapping[str, str] = {
    "en": "dollar/dollars/us dollar/us dollars/american dollars/canadian dollars/australian dollars/$/usd/euro/euros/€"
    "/eur/pound/pounds/british pounds/pounds sterling/£/gbp/yen/japanese yen/¥/jpy/yuan/renminbi/rmb/cny/swiss franc"
    "/swiss francs/francs/chf/rupee/rupees/indian rupees/ruble/rubles/peso/pesos/mexican pesos/krona/kronor/won"
    "/bitcoin/bitcoins/cent/cents/lira/zloty/real/reais/rand",
    "de": "dollar/us dollar/euro/€/$/pfund/britische pfund/yen/yuan/franken/schweizer franken/rupien/rubel/kronen"
    "/bitcoin/bitcoins/zloty/lira",
    "fr": "dollar/dollars/euro/euros/€/$/livre sterling/livres sterling/yen/yens/yuan/yuans/franc suisse"
    "/francs suisses/roupies/roubles/bitcoin/bitcoins",
    "es": "dólar/dólares/euro/euros/€/$/libra esterlina/libras esterlinas/yen/yenes/yuan/yuanes/franco suizo"
    "/francos suizos/rupias/rublos/peso/pesos/pesos mexicanos/bitcoin/bitcoins",
    "zh-CN": "美元/美金/欧元/人民币/英镑/日元/韩元/港币/港元/卢布/法郎/比特币",
}
