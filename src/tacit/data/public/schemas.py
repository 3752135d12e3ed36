"""Schemas of the public data sets.

Categories and codes are those of the documents that come with each set. Most documents give no range for numbers:
bounds are then round numbers read from these rows, which is harmless because the rows are public.
For private rows it would be a leak.
"""

import math

from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric, Target
from tacit.data.schemas.schema import Image, Schema

YES_NO = ("no", "yes")


def adult_schema() -> Schema:
    """Return the schema of UCI Adult: lists and their order as in ``adult.names``, where a ``?`` means unknown."""
    columns: tuple[Column, ...] = (
        Numeric("age", (17, 90), integer=True),
        Categorical("workclass", _words("""Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov
            Without-pay Never-worked"""), missing="category"),
        Numeric("fnlwgt", (0, 1_500_000), integer=True),
        Categorical("education", _words("""Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th
            7th-8th 12th Masters 1st-4th 10th Doctorate 5th-6th Preschool""")),
        Numeric("education-num", (1, 16), integer=True),
        Categorical("marital-status", _words("""Married-civ-spouse Divorced Never-married Separated Widowed
            Married-spouse-absent Married-AF-spouse""")),
        Categorical("occupation", _words("""Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty
            Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv
            Protective-serv Armed-Forces"""), missing="category"),
        Categorical("relationship", _words("Wife Own-child Husband Not-in-family Other-relative Unmarried")),
        Categorical("race", _words("White Asian-Pac-Islander Amer-Indian-Eskimo Other Black")),
        Categorical("sex", ("Female", "Male")),
        Numeric("capital-gain", (0, 99_999), integer=True),
        Numeric("capital-loss", (0, 5_000), integer=True),
        Numeric("hours-per-week", (1, 99), integer=True),
        Categorical("native-country", _words("""United-States Cambodia England Puerto-Rico Canada Germany
            Outlying-US(Guam-USVI-etc) India Japan Greece South China Cuba Iran Honduras Philippines Italy Poland
            Jamaica Vietnam Mexico Portugal Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary
            Guatemala Nicaragua Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong
            Holand-Netherlands"""), missing="category"),
        Label("income", ("<=50K", ">50K")),
        Ignored("split"),
    )  # fmt: skip
    return Schema(columns, missing_values=("?",))


def bank_schema() -> Schema:
    """Return the schema of UCI Bank Marketing: lists as in ``bank-names.txt``.

    The length of the last call, ``duration``, is known only after the outcome; leave it out of a realistic model.
    """
    columns: tuple[Column, ...] = (
        Numeric("age", (18, 100), integer=True),
        Categorical("job", _words("""admin. unknown unemployed management housemaid entrepreneur student blue-collar
            self-employed retired technician services""")),
        Categorical("marital", _words("married divorced single")),
        Categorical("education", _words("unknown primary secondary tertiary")),
        Categorical("default", YES_NO),
        Numeric("balance", (-10_000, 100_000), integer=True),
        Categorical("housing", YES_NO),
        Categorical("loan", YES_NO),
        Categorical("contact", _words("unknown telephone cellular")),
        Numeric("day", (1, 31), integer=True),
        Categorical("month", _words("jan feb mar apr may jun jul aug sep oct nov dec")),
        Numeric("duration", (0, 3_600), integer=True),
        Numeric("campaign", (1, 50), integer=True),
        Numeric("pdays", (-1, 999), integer=True),
        Numeric("previous", (0, 50), integer=True),
        Categorical("poutcome", _words("unknown other failure success")),
        Label("y", YES_NO),
    )  # fmt: skip
    return Schema(columns)


def flights_schema(outcome: str = "late") -> Schema:
    """Return the schema of New York's departures in 2013, to predict ``late`` or the delay at arrival in minutes.

    What is known only after departure is ignored; weather and plane are missing in some rows.
    """
    destinations = _words("""ABQ ACK ALB ANC ATL AUS AVL BDL BGR BHM BNA BOS BQN BTV BUF BUR BWI BZN CAE CAK CHO CHS
        CLE CLT CMH CRW CVG DAY DCA DEN DFW DSM DTW EGE EYW FLL GRR GSO GSP HDN HNL HOU IAD IAH ILM IND JAC JAX LAS LAX
        LEX LGB MCI MCO MDW MEM MHT MIA MKE MSN MSP MSY MTJ MVY MYR OAK OKC OMA ORD ORF PBI PDX PHL PHX PIT PSE PSP PVD
        PWM RDU RIC ROC RSW SAN SAT SAV SBN SDF SEA SFO SJC SJU SLC SMF SNA SRQ STL STT SYR TPA TUL TVC TYS XNA""")
    features: tuple[Column, ...] = (
        Categorical("dest", destinations),
        Categorical("carrier", _words("9E AA AS B6 DL EV F9 FL HA MQ OO UA US VX WN YV")),
        Numeric("month", (1, 12), integer=True),
        Categorical("weekday", _words("Mon Tue Wed Thu Fri Sat Sun")),
        Numeric("hour", (0, 23), integer=True),
        Numeric("distance", (0, 5_000), integer=True),
        Numeric("temp", (0, 110), missing="flag"),
        Numeric("humid", (0, 100), missing="flag"),
        Numeric("wind_speed", (0, 50), missing="flag"),
        Numeric("precip", (0, 2), missing="flag"),
        Numeric("pressure", (970, 1_050), missing="flag"),
        Numeric("visib", (0, 10), missing="flag"),
        Numeric("built", (1950, 2013), integer=True, missing="flag"),
        Numeric("seats", (0, 500), integer=True, missing="flag"),
        Numeric("engines", (1, 4), integer=True, missing="flag"),
    )
    learned: Column = Label("late", ("on time", "late")) if outcome == "late" else Target("arr_delay", (-120, 1_440))
    others = [name for name in ("late", "arr_delay", "dep_delay", "air_time", "origin", "tailnum") if name != outcome]
    return Schema((*features, learned, *(Ignored(name) for name in others)))


def diamonds_schema() -> Schema:
    """Return the schema of ggplot2's diamonds, whose price is to be predicted."""
    columns: tuple[Column, ...] = (
        Numeric("carat", (0, 6)),
        Categorical("cut", ("Fair", "Good", "Very Good", "Premium", "Ideal")),
        Categorical("color", _words("D E F G H I J")),
        Categorical("clarity", _words("I1 SI2 SI1 VS2 VS1 VVS2 VVS1 IF")),
        Numeric("depth", (40, 80)),
        Numeric("table", (40, 100)),
        Numeric("x", (0, 12)),
        Numeric("y", (0, 60)),
        Numeric("z", (0, 35)),
        Target("price", (0, 20_000)),
    )
    return Schema(columns)


def vietnam_health_schema() -> Schema:
    """Return the schema of a health survey in Vietnam: who is insured; ``commune`` says where, and is not a feature."""
    columns: tuple[Column, ...] = (
        Numeric("pharvis", (0, 30), integer=True),
        Numeric("lnhhexp", (0, 6)),
        Numeric("age", (0, 5)),
        Categorical("sex", ("female", "male")),
        Categorical("married", ("0", "1")),
        Numeric("educ", (0, 12), integer=True),
        Numeric("illness", (0, 9), integer=True),
        Categorical("injury", ("0", "1")),
        Numeric("illdays", (0, 60), integer=True),
        Numeric("actdays", (0, 30), integer=True),
        Label("insurance", ("0", "1")),
        Ignored("commune"),
    )
    return Schema(columns)


def doctor_visits_schema() -> Schema:
    """Return the schema of visits to doctors by the elderly: who has a private insurance; ``region`` is no feature."""
    columns: tuple[Column, ...] = (
        *(Numeric(name, (0, 100), integer=True) for name in ("ofp", "ofnp", "opp", "opnp")),
        *(Numeric(name, (0, 12), integer=True) for name in ("emr", "hosp", "numchron")),
        Categorical("adldiff", ("0", "1")),
        Numeric("age", (6, 11)),
        Categorical("black", YES_NO),
        Categorical("sex", ("female", "male")),
        Categorical("maried", YES_NO),
        Numeric("school", (0, 20), integer=True),
        Numeric("faminc", (0, 60)),
        Categorical("employed", YES_NO),
        Categorical("medicaid", YES_NO),
        Categorical("hlth", ("poor", "other", "excellent")),
        Label("privins", YES_NO),
        Ignored("region"),
    )
    return Schema(columns)


def heart_schema() -> Schema:
    """Return the schema of UCI Heart Disease: codes as in ``heart-disease.names``.

    Missing values follow the hospital, so their rules keep them visible: codes have a category of their own for them,
    measures a flag. A cholesterol or blood pressure of 0 is taken for unrecorded: nobody has one.
    """
    columns: tuple[Column, ...] = (
        Ignored("centre"),
        Numeric("age", (20, 90), integer=True),
        Categorical("sex", ("0", "1")),
        Categorical("cp", ("1", "2", "3", "4")),
        Numeric("trestbps", (80, 220), missing="flag", missing_values=("0",)),
        Numeric("chol", (80, 620), missing="flag", missing_values=("0",)),
        Categorical("fbs", ("0", "1"), missing="category"),
        Categorical("restecg", ("0", "1", "2"), missing="category"),
        Numeric("thalach", (60, 220), missing="flag"),
        Categorical("exang", ("0", "1"), missing="category"),
        Numeric("oldpeak", (-4, 8), missing="flag"),
        Categorical("slope", ("1", "2", "3"), missing="category"),
        Categorical("ca", ("0", "1", "2", "3"), missing="category"),
        Categorical("thal", ("3", "6", "7"), missing="category"),
        Label("num", ("healthy", "ill"), merge={"0": "healthy", "1": "ill", "2": "ill", "3": "ill", "4": "ill"}),
    )
    return Schema(columns)


def glasgow_schema() -> Schema:
    """Return the schema of the Teenage Friends and Lifestyle Study: the questionnaire's own answer codes.

    The label is how often a pupil does sports. Answers about leisure run from 1, most days, to 4, less or never.
    """
    leisure = (
        "music_at_home shopping reading watch_sports hang_streets videogames hobby organized movies concerts church "
        "pet dancing be_bored"
    )
    columns: tuple[Column, ...] = (
        Ignored("id"),
        Ignored("wave"),
        Numeric("age", (11, 18), missing="middle"),
        Categorical("sex.F", ("1", "2")),
        Numeric("alcohol", (1, 5), integer=True, missing="flag"),
        Numeric("tobacco", (1, 3), integer=True, missing="flag"),
        Numeric("cannabis", (1, 4), integer=True, missing="flag"),
        # Pocket money; -1 is taken for no answer.
        Numeric("money", (0, 50), missing="flag", missing_values=("-1",)),
        Categorical("romantic", ("1", "2"), missing="category"),
        Ignored("selection129"),
        Ignored("selection50"),
        *(Numeric(f"leisure_{item}", (1, 4), integer=True, missing="flag") for item in leisure.split()),
        Label(
            "leisure_play_sports",
            ("most days", "weekly", "monthly", "less"),
            merge={"1": "most days", "2": "weekly", "3": "monthly", "4": "less"},
        ),
    )
    return Schema(columns, missing_values=("NA",))


def fitbit_schema() -> Schema:
    """Return the schema of the daily Fitbit log: a day has 1440 minutes."""
    distances = "TotalDistance TrackerDistance LoggedActivitiesDistance VeryActiveDistance ModeratelyActiveDistance "
    minutes = "VeryActiveMinutes FairlyActiveMinutes LightlyActiveMinutes SedentaryMinutes"
    columns: tuple[Column, ...] = (
        Ignored("Id"),
        Ignored("ActivityDate"),
        Numeric("TotalSteps", (0, 40_000), integer=True),
        *(Numeric(name, (0, 30)) for name in (distances + "LightActiveDistance").split()),
        Numeric("SedentaryActiveDistance", (0, 1)),
        *(Numeric(name, (0, 1_440), integer=True) for name in minutes.split()),
        Numeric("Calories", (0, 6_000), integer=True),
    )
    return Schema(columns)


def breast_cancer_schema() -> Schema:
    """Return the schema of the breast cancer set: the ranges that its description prints, rounded outwards."""
    highs = {
        "radius": (30, 3, 40), "texture": (40, 5, 50), "perimeter": (200, 25, 260), "area": (2600, 600, 4500),
        "smoothness": (0.2, 0.04, 0.3), "compactness": (0.4, 0.2, 1.2), "concavity": (0.5, 0.4, 1.3),
        "concave points": (0.25, 0.06, 0.3), "symmetry": (0.4, 0.1, 0.7), "fractal dimension": (0.1, 0.03, 0.25),
    }  # fmt: skip
    parts = ("mean {}", "{} error", "worst {}")
    columns: list[Column] = [
        Numeric(part.format(name), (0, ends[position]), group=part.format("").strip())
        for position, part in enumerate(parts)
        for name, ends in highs.items()
    ]
    return Schema((*columns, Label("diagnosis", ("malignant", "benign"))))


def wine_schema() -> Schema:
    """Return the schema of the wine set: the ranges that its description prints, rounded outwards."""
    bounds = {
        "alcohol": (11, 15), "malic_acid": (0, 6), "ash": (1, 4), "alcalinity_of_ash": (10, 30), "magnesium": (70, 170),
        "total_phenols": (0, 4), "flavanoids": (0, 6), "nonflavanoid_phenols": (0, 1), "proanthocyanins": (0, 4),
        "color_intensity": (1, 13), "hue": (0, 2), "od280/od315_of_diluted_wines": (1, 4), "proline": (200, 1700),
    }  # fmt: skip
    columns: list[Column] = [Numeric(name, pair) for name, pair in bounds.items()]
    return Schema((*columns, Label("cultivar", ("class_0", "class_1", "class_2"))))


def iris_schema() -> Schema:
    """Return the schema of the iris set: lengths and widths in centimetres."""
    bounds = {
        "sepal length (cm)": (4, 8),
        "sepal width (cm)": (2, 5),
        "petal length (cm)": (0, 7),
        "petal width (cm)": (0, 3),
    }
    columns: list[Column] = [Numeric(name, pair) for name, pair in bounds.items()]
    return Schema((*columns, Label("species", ("setosa", "versicolor", "virginica"))))


def image_schema(shape: tuple[int, ...], classes: tuple[str, ...]) -> Schema:
    """Return the schema of pictures with pixels in [0, 1] and a class."""
    names = tuple(f"pixel{position}" for position in range(math.prod(shape)))
    columns: list[Column] = [Numeric(name, (0, 1)) for name in names]
    return Schema((*columns, Label("label", classes)), image=Image(names, shape))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())
